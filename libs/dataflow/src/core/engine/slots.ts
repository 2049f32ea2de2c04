import { DoubleWriteError } from '../errors/double-write.error.js';
import { UndeclaredAccessError } from '../errors/undeclared-access.error.js';
import { UnserialisablePayloadError } from '../errors/unserialisable-payload.error.js';
import type { Digest } from '../payload/digest.js';
import { NotPlainData, seal, type Sealed, unshared } from '../payload/seal.js';
import { plus, type Tag } from '../time/tag.js';
import { DueTags } from './due-tags.js';
import type { EventTarget } from './event-queue.js';
import type { NodeRuntime, ReactionRuntime } from './node-runtime.js';
import type { Outlet } from './outlets.js';

const NOTHING: readonly unknown[] = Object.freeze([]);

/** Something of a node that is present at some tags and absent at others. */
abstract class Slot {
  /** Reactions that it sets off. */
  readonly triggers: ReactionRuntime[] = [];
  /** Number of the last tag at which it was present, so that nothing has to be cleared between tags. */
  protected stamp = -1;

  constructor(
    readonly node: NodeRuntime,
    readonly name: string,
  ) {}

  get isPresent(): boolean {
    return this.stamp === this.node.scheduler.stamp;
  }

  protected markPresent(): void {
    const { scheduler } = this.node;
    this.stamp = scheduler.stamp;
    for (const reaction of this.triggers) scheduler.trigger(reaction);
  }

  protected seal(value: unknown): Sealed {
    try {
      return seal(value);
    } catch (error) {
      if (!(error instanceof NotPlainData)) throw error;
      throw new UnserialisablePayloadError(`${this.node.name}.${this.name}`, this.node.scheduler.tag, error.message);
    }
  }
}

export class InputSlot extends Slot {
  value: unknown;
  #hash = 0;
  /** With fan-in, what each connection has brought at the current tag. */
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
    if (this.#parts) {
      if (!this.isPresent) this.#parts.fill(undefined);
      this.#parts[position] = sealed;
    }
    this.value = unshared(sealed);
    this.#hash = sealed.hash;
    this.markPresent();
  }

  /** What a reaction sees. @throws UndeclaredAccessError, OutsideTagError */
  read(): { isPresent: boolean; value: unknown; values: readonly unknown[] } {
    const reaction = this.node.assertRunning(`reading "${this.name}"`);
    if (!reaction.reads.has(this.index)) {
      this.node.scheduler.violation(new UndeclaredAccessError(this.node.name, reaction.name, this.name, 'reads'));
    }
    const { isPresent } = this;
    if (!isPresent) return { isPresent, value: this.retain ? this.value : undefined, values: NOTHING };
    if (!this.#parts) return { isPresent, value: this.value, values: [this.value] };
    const values = this.#parts.filter((part) => part !== undefined).map(unshared);
    return { isPresent, value: values[0], values };
  }

  mixInto(digest: Digest): void {
    if (!this.#parts) return digest.mixNumber(this.#hash);
    for (const part of this.#parts) digest.mixNumber(part ? part.hash : -1);
  }
}

/** One connection's end in this scheduler: what was queued for its input. */
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

export class OutputSlot extends Slot {
  readonly outlets: Outlet[] = [];
  hash = 0;

  constructor(
    node: NodeRuntime,
    readonly index: number,
  ) {
    super(node, node.model.outputs[index]!.name);
  }

  /** @throws DoubleWriteError, OutsideTagError, UndeclaredAccessError, UnserialisablePayloadError */
  write(value: unknown): void {
    const { node } = this;
    const reaction = node.assertRunning(`writing "${this.name}"`);
    if (!reaction.writes.has(this.index)) {
      node.scheduler.violation(new UndeclaredAccessError(node.name, reaction.name, this.name, 'writes'));
    }
    if (this.isPresent) node.scheduler.violation(new DoubleWriteError(node.name, this.name, node.scheduler.tag));
    const sealed = this.seal(value);
    this.hash = sealed.hash;
    this.markPresent();
    for (const outlet of this.outlets) outlet.carry(sealed);
  }
}

export class ActionSlot extends Slot implements EventTarget {
  value: unknown;
  hash = 0;
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

  /** Whether something may still come from outside. */
  get isOpen(): boolean {
    return this.#isOpen;
  }

  read(): { isPresent: boolean; value: unknown } {
    this.node.assertRunning(`reading "${this.name}"`);
    return { isPresent: this.isPresent, value: this.isPresent ? this.value : undefined };
  }

  schedule(delay: number, value: unknown): void {
    this.node.assertRunning(`scheduling "${this.name}"`);
    const { scheduler } = this.node;
    this.push(plus(scheduler.tag, scheduler.delayOf(delay)), this.seal(value));
  }

  /** From outside. */
  scheduleNow(value: unknown): boolean {
    const { scheduler, model } = this.node;
    if (!this.#isOpen || !scheduler.acceptsPhysical) return false;
    const sealed = this.seal(value);
    const now = scheduler.physicalTag();
    if (scheduler.isTooLate(now)) return false;
    const tag = this.push(now, sealed);
    scheduler.arrived({ node: model.name, port: this.name, position: 0, tag, value: sealed.value });
    return true;
  }

  /** @returns the tag it got: the first from the given one on at which it is not yet due */
  push(tag: Tag, sealed: Sealed): Tag {
    const free = this.#due.take(tag);
    this.node.scheduler.queue.push(free.time, free.microstep, this, sealed);
    return free;
  }

  accept(sealed: Sealed): void {
    const { scheduler } = this.node;
    this.#due.release(scheduler.tag);
    this.value = unshared(sealed);
    this.hash = sealed.hash;
    this.markPresent();
  }

  close(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.node.scheduler.wake();
  }
}
