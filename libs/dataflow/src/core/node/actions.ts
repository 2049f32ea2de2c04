import type { ActionSlot } from '../engine/slots.js';
import { nanosecondsOf, type Span } from '../time/span.js';

/** An event that a node schedules for itself. @publicApi */
export class NodeAction<in out T = undefined> {
  declare private readonly carries: T;
  readonly #slot: ActionSlot;

  /** @internal */
  constructor(slot: ActionSlot) {
    this.#slot = slot;
  }

  /** Whether it happens at the current tag. */
  get isPresent(): boolean {
    return this.#slot.read().isPresent;
  }

  /** What it was scheduled with, if it happens at the current tag. */
  get value(): T | undefined {
    return this.#slot.read().value as T | undefined;
  }

  /**
   * Lets it happen `delay` after the current tag; with a delay of 0 in the next microstep. Where it is due already, the new
   * one happens a microstep later.
   *
   * @throws OutsideTagError, UnserialisablePayloadError. Each stops the graph.
   */
  schedule(delay: Span, ...[value]: undefined extends T ? [value?: T] : [value: T]): void {
    this.#slot.schedule(nanosecondsOf(delay), value);
  }
}

/** The way in for what happens outside of the graph. @publicApi */
export class NodePhysicalAction<in out T = undefined> {
  declare private readonly carries: T;
  readonly #slot: ActionSlot;

  /** @internal */
  constructor(slot: ActionSlot) {
    this.#slot = slot;
  }

  /** Whether it happens at the current tag. */
  get isPresent(): boolean {
    return this.#slot.read().isPresent;
  }

  /** What it was scheduled with, if it happens at the current tag. */
  get value(): T | undefined {
    return this.#slot.read().value as T | undefined;
  }

  /**
   * Lets it happen now, whenever that is: the tag is the time on the clock, and later than what the node has already handled.
   * May be called from anywhere, at any time of the run.
   *
   * @returns false when nothing will come of it: the run has not begun or has ended, the action is closed, or this is a replay
   * @throws UnserialisablePayloadError
   */
  schedule(...[value]: undefined extends T ? [value?: T] : [value: T]): boolean {
    return this.#slot.scheduleNow(value);
  }

  /** Nothing more will come from outside. A graph completes only when every physical action is closed. May be called again. */
  close(): void {
    this.#slot.close();
  }
}
