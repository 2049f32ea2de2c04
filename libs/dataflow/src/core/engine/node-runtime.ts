import { OutsideTagError } from '../errors/outside-tag.error.js';
import type { NodeModel, ReactionModel } from '../graph/model.js';
import { NodeAction, NodePhysicalAction } from '../node/actions.js';
import type { NodeContext } from '../node/context.js';
import { InputPort } from '../node/input-port.js';
import { OutputPort } from '../node/output-port.js';
import { Digest } from '../payload/digest.js';
import type { Sealed } from '../payload/seal.js';
import { NEVER, type Tag } from '../time/tag.js';
import type { EventTarget } from './event-queue.js';
import type { TagScheduler } from './scheduler.js';
import { ActionSlot, InputSlot, OutputSlot, type NodeSlot } from './slots.js';

type Run = (ctx: NodeContext) => void | Promise<void>;

export class ReactionRuntime {
  readonly level: number;
  readonly rank: number;
  /** For each input, whether the reaction may read it. */
  readonly reads: readonly boolean[];
  /** For each output, whether the reaction may write it. */
  readonly writes: readonly boolean[];
  readonly isShutdown: boolean;
  readonly name: string;
  /** Number of the last tag at which it was triggered. It runs once per tag. */
  stamp = -1;
  /** Set when the reaction starts at the stop tag. Settles when it has finished. */
  ending: Promise<void> | undefined = undefined;

  constructor(
    readonly node: NodeRuntime,
    model: ReactionModel,
    private readonly method: Run,
  ) {
    this.level = model.level;
    this.rank = model.rank;
    this.reads = model.node.inputs.map((_, index) => model.reads.has(index));
    this.writes = model.node.outputs.map((_, index) => model.writes.has(index));
    this.name = model.method || 'schedule';
    this.isShutdown = model.triggers.some(({ kind }) => kind === 'shutdown');
  }

  run(ctx: NodeContext): void | Promise<void> {
    return this.method.call(this.node.instance, ctx);
  }
}

/** A node that runs in this process: the user's instance with its ports assigned. */
export class NodeRuntime {
  readonly name: string;
  readonly inputs: readonly InputSlot[];
  readonly outputs: readonly OutputSlot[];
  readonly actions: readonly ActionSlot[];
  readonly reactions: readonly ReactionRuntime[];
  readonly continuations: Continuations;
  context!: NodeContext;

  running: ReactionRuntime | undefined = undefined;
  /** Number of the last tag at which one of its reactions ran. */
  stamp = -1;
  tags = 0;
  firings = 0;
  // Two numbers instead of a tag: assigning a new object at every tag would be work for the garbage collector.
  #lastTime = NEVER.time;
  #lastMicrostep = 0;
  readonly #slots: readonly NodeSlot[];
  readonly #digest = new Digest();

  constructor(
    readonly scheduler: TagScheduler,
    readonly model: NodeModel,
    readonly instance: object,
  ) {
    this.name = model.name;
    this.inputs = model.inputs.map((_, index) => new InputSlot(this, index));
    this.outputs = model.outputs.map((_, index) => new OutputSlot(this, index));
    this.actions = model.actions.map((_, index) => new ActionSlot(this, index));
    this.#slots = [...this.inputs, ...this.actions, ...this.outputs];
    this.continuations = new Continuations(this);
    const methods = instance as Record<string, Run>;
    this.reactions = model.reactions.map((reaction) => {
      const method = reaction.method ? methods[reaction.method]! : () => this.continuations.run();
      return new ReactionRuntime(this, reaction, method);
    });
    this.#plugIn(instance as Record<string, unknown>);
  }

  /** The last tag at which one of its reactions ran. */
  get lastTag(): Tag | undefined {
    return this.tags === 0 ? undefined : { time: this.#lastTime, microstep: this.#lastMicrostep };
  }

  get digest(): string {
    return this.#digest.toString();
  }

  /** @throws OutsideTagError */
  assertRunning(what: string): ReactionRuntime {
    return this.running ?? this.scheduler.violation(new OutsideTagError(this.name, what));
  }

  /** Adds everything that the node has read and written at a tag to its digest. */
  trace(tag: Tag, hashOfTag: number): void {
    this.tags++;
    this.#lastTime = tag.time;
    this.#lastMicrostep = tag.microstep;
    this.#digest.mixInt(hashOfTag);
    const slots = this.#slots;
    for (let at = 0; at < slots.length; at++) {
      const slot = slots[at]!;
      if (slot.isPresent) this.#digest.mixInt(slot.hash ^ at);
    }
  }

  #plugIn(instance: Record<string, unknown>): void {
    for (const slot of this.inputs) instance[slot.name] = new InputPort(slot);
    for (const slot of this.outputs) instance[slot.name] = new OutputPort(slot);
    for (const slot of this.actions) {
      const { isPhysical } = this.model.actions[slot.index]!;
      instance[slot.name] = isPhysical ? new NodePhysicalAction(slot) : new NodeAction(slot);
    }
    const members = new Map([...this.inputs, ...this.actions].map((slot) => [slot.name, slot]));
    for (const [at, { triggers }] of this.model.reactions.entries()) {
      for (const trigger of triggers) {
        if (trigger.kind === 'member') members.get(trigger.name)!.triggers.push(this.reactions[at]!);
      }
    }
  }
}

/** Runs the functions passed to `ctx.schedule()`. */
class Continuations implements EventTarget {
  #due: Run[] = [];

  constructor(private readonly node: NodeRuntime) {}

  get owner(): string {
    return this.node.name;
  }

  accept({ value }: Sealed): void {
    this.#due.push(value as Run);
    this.node.scheduler.trigger(this.node.reactions[0]!);
  }

  /** Runs the due functions one after another, in the order in which they were scheduled. */
  run(): void | Promise<void> {
    const due = this.#due;
    this.#due = [];
    for (const [at, then] of due.entries()) {
      const result = then(this.node.context);
      if (result) return this.#finish(result, due.slice(at + 1));
    }
  }

  async #finish(first: Promise<void>, rest: readonly Run[]): Promise<void> {
    await first;
    for (const then of rest) await then(this.node.context);
  }
}
