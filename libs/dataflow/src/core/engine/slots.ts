import { DoubleWriteError } from '../errors/double-write.error.js';
import { UndeclaredAccessError } from '../errors/undeclared-access.error.js';
import { UnserialisablePayloadError } from '../errors/unserialisable-payload.error.js';
import { hashNumber } from '../payload/digest.js';
import { NotPlainData, seal, type Sealed, unshared } from '../payload/seal.js';
import { plus, type Tag } from '../time/tag.js';
import { assertDelay } from './assert-delay.js';
import { DueTags } from './due-tags.js';
import type { EventTarget } from './event-queue.js';
import type { NodeRuntime, ReactionRuntime } from './node-runtime.js';
import type { Outlet } from './outlets.js';
import type { TagScheduler } from './scheduler.js';

const NOTHING: readonly unknown[] = Object.freeze([]);

/** A port or action of a node, which is present at some tags and absent at others. */
export abstract class NodeSlot {
  /** Reactions that it triggers. */
  readonly triggers: ReactionRuntime[] = [];
  /** Number of the last tag at which it was present. Comparing it avoids clearing slots between tags. */
  protected stamp = -1;
  /** Hash of the current value. */
  hash = 0;
  protected readonly scheduler: TagScheduler;

  constructor(
    readonly node: NodeRuntime,
    readonly name: string,
  ) {
    this.scheduler = node.scheduler;
  }

  get isPresent(): boolean {
    return this.stamp === this.scheduler.stamp;
  }

  /** Returns the running reaction that uses the slot. @throws OutsideTagError */
  protected user(doing: string): ReactionRuntime {
    return this.node.running ?? this.node.assertRunning(`${doing} "${this.name}"`);
  }

  protected markPresent(): void {
    const { scheduler, triggers } = this;
    this.stamp = scheduler.stamp;
    // An iterator would be measurably slower, here and in `write()`.
    for (let at = 0; at < triggers.length; at++) scheduler.trigger(triggers[at]!);
  }

  /**
   * Seals a value.
   *
   * @throws UnserialisablePayloadError, which stops the graph unless the value comes from outside
   */
  protected seal(value: unknown, isFromOutside = false): Sealed {
    try {
      return seal(value);
    } catch (error) {
      if (!(error instanceof NotPlainData)) throw error;
      const { node, scheduler } = this;
      const refusal = new UnserialisablePayloadError(`${node.name}.${this.name}`, scheduler.tag, error.message);
      if (isFromOutside) throw refusal;
      return scheduler.violation(refusal);
    }
  }
}

export class InputSlot extends NodeSlot {
  #value: unknown;
  /** With fan-in, the value of each connection at the current tag. */
  readonly #parts: (Sealed | undefined)[] | undefined;
  readonly retain: boolean;

  constructor(
    node: NodeRuntime,
    readonly index: number,
  ) {
    const { name, options, edges } = node.model.inputs[index]!;
    super(node, name);
    this.retain = options.retain ?? false;
    this.#parts = edges.length > 1 ? edges.map(() => undefined) : undefined;
  }

  receive(position: number, sealed: Sealed): void {
    if (this.#parts) this.#collect(this.#parts, position, sealed);
    else this.hash = sealed.hash;
    this.#value = unshared(sealed);
    this.markPresent();
  }

  /** Checks that the running reaction may read the input. @throws UndeclaredAccessError, OutsideTagError */
  read(): this {
    const reaction = this.user('reading');
    if (!reaction.reads[this.index]) {
      this.scheduler.violation(new UndeclaredAccessError(this.node.name, reaction.name, this.name, 'reads'));
    }
    return this;
  }

  get value(): unknown {
    if (!this.isPresent && !this.retain) return undefined;
    if (!this.#parts) return this.#value;
    const first = this.#parts.find((part) => part !== undefined);
    return first && unshared(first);
  }

  get values(): readonly unknown[] {
    if (!this.isPresent) return NOTHING;
    return this.#parts ? this.#parts.filter((part) => part !== undefined).map(unshared) : [this.#value];
  }

  #collect(parts: (Sealed | undefined)[], position: number, sealed: Sealed): void {
    if (!this.isPresent) {
      parts.fill(undefined);
      this.hash = 0;
    }
    parts[position] = sealed;
    // A sum does not depend on the order in which connections deliver their values.
    this.hash = (this.hash + hashNumber(sealed.hash + position)) | 0;
  }
}

/** The receiving end of a connection: accepts the events queued for its input. */
export class InputEntry implements EventTarget {
  constructor(
    readonly slot: InputSlot,
    readonly position: number,
  ) {}

  get owner(): string {
    return this.slot.node.name;
  }

  accept(sealed: Sealed): void {
    this.slot.receive(this.position, sealed);
  }
}

export class OutputSlot extends NodeSlot {
  readonly outlets: Outlet[] = [];

  constructor(
    node: NodeRuntime,
    readonly index: number,
  ) {
    super(node, node.model.outputs[index]!.name);
  }

  /** @throws DoubleWriteError, OutsideTagError, UndeclaredAccessError, UnserialisablePayloadError */
  write(value: unknown): void {
    const { node, scheduler, outlets } = this;
    const reaction = this.user('writing');
    if (!reaction.writes[this.index]) {
      scheduler.violation(new UndeclaredAccessError(node.name, reaction.name, this.name, 'writes'));
    }
    if (this.isPresent) scheduler.violation(new DoubleWriteError(node.name, this.name, scheduler.tag));
    const sealed = this.seal(value);
    this.hash = sealed.hash;
    this.markPresent();
    for (let at = 0; at < outlets.length; at++) outlets[at]!.carry(sealed);
  }
}

export class ActionSlot extends NodeSlot implements EventTarget {
  value: unknown;
  #isOpen: boolean;
  readonly #due = new DueTags();

  constructor(
    node: NodeRuntime,
    readonly index: number,
  ) {
    const { name, isPhysical } = node.model.actions[index]!;
    super(node, name);
    this.#isOpen = isPhysical;
  }

  get owner(): string {
    return this.node.name;
  }

  /** Whether the physical action still accepts input. */
  get isOpen(): boolean {
    return this.#isOpen;
  }

  read(): { isPresent: boolean; value: unknown } {
    this.user('reading');
    return { isPresent: this.isPresent, value: this.isPresent ? this.value : undefined };
  }

  schedule(delay: number, value: unknown): void {
    this.user('scheduling');
    const { scheduler } = this;
    assertDelay(delay, this.node.name);
    this.push(plus(scheduler.tag, scheduler.delayOf(delay)), this.seal(value));
  }

  /** Schedules external input. @returns whether it was accepted */
  scheduleNow(value: unknown): boolean {
    const { scheduler, node } = this;
    if (!this.#isOpen || !scheduler.acceptsPhysical) return false;
    const sealed = this.seal(value, true);
    const tag = this.#due.freeFrom(scheduler.physicalTag());
    if (scheduler.isTooLate(tag)) return false;
    this.push(tag, sealed);
    scheduler.arrived({ node: node.name, port: this.name, position: 0, tag, value: sealed.value });
    return true;
  }

  /**
   * Queues an event.
   *
   * @returns the tag it got, which is the first at or after the given one at which the action is not yet due
   */
  push(tag: Tag, sealed: Sealed): Tag {
    const free = this.#due.take(tag);
    this.scheduler.queue.push(free.time, free.microstep, this, sealed);
    return free;
  }

  accept(sealed: Sealed): void {
    this.#due.release(this.scheduler.tag);
    this.value = unshared(sealed);
    this.hash = sealed.hash;
    this.markPresent();
  }

  close(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.scheduler.wake();
  }
}
