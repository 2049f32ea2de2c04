import type { ActionSlot } from '../engine/slots.js';
import { nanosecondsOf, type Span } from '../time/span.js';

/** An event that a node schedules for itself. Declared with `@LogicalAction()`. @publicApi */
export class NodeAction<in out T = undefined> {
  declare private readonly carries: T;
  readonly #slot: ActionSlot;

  /** @internal */
  constructor(slot: ActionSlot) {
    this.#slot = slot;
  }

  /** Whether the action is present at the current tag. */
  get isPresent(): boolean {
    return this.#slot.read().isPresent;
  }

  /** The scheduled value, if the action is present at the current tag. */
  get value(): T | undefined {
    return this.#slot.read().value as T | undefined;
  }

  /**
   * Schedules the action `delay` after the current tag. A delay of 0 means the next microstep. If the action is already
   * due at that tag, the new event gets the next free microstep.
   *
   * @throws OutsideTagError, UnserialisablePayloadError. Each stops the graph.
   */
  schedule(delay: Span, ...[value]: undefined extends T ? [value?: T] : [value: T]): void {
    this.#slot.schedule(nanosecondsOf(delay), value);
  }
}

/** The entry point for input from outside of the graph. Declared with `@PhysicalAction()`. @publicApi */
export class NodePhysicalAction<in out T = undefined> {
  declare private readonly carries: T;
  readonly #slot: ActionSlot;

  /** @internal */
  constructor(slot: ActionSlot) {
    this.#slot = slot;
  }

  /** Whether the action is present at the current tag. */
  get isPresent(): boolean {
    return this.#slot.read().isPresent;
  }

  /** The scheduled value, if the action is present at the current tag. */
  get value(): T | undefined {
    return this.#slot.read().value as T | undefined;
  }

  /**
   * Schedules the action now. Its tag is the time on the clock, and always later than the tags that the node has
   * already handled. May be called from anywhere, at any time.
   *
   * @returns false if the input is not accepted: the run has not started, is stopping or has ended, the action is closed,
   * or the run is a replay
   * @throws UnserialisablePayloadError
   */
  schedule(...[value]: undefined extends T ? [value?: T] : [value: T]): boolean {
    return this.#slot.scheduleNow(value);
  }

  /**
   * Closes the action to further input. A graph completes only after every physical action is closed. May be called
   * again.
   */
  close(): void {
    this.#slot.close();
  }
}
