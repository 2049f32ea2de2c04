import { DataflowError } from '../errors/dataflow.error.js';
import { ReactionFailedError } from '../errors/reaction-failed.error.js';
import { hashNumber } from '../payload/digest.js';
import { seal, type Sealed } from '../payload/seal.js';
import {
  type Delay,
  isBefore,
  isSame,
  laterOf,
  NEVER,
  nextMicrostep,
  ONE_MICROSTEP,
  START,
  type Tag,
} from '../time/tag.js';
import { EventQueue, type EventTarget } from './event-queue.js';
import type { NodeRuntime, ReactionRuntime } from './node-runtime.js';
import { ReactionQueue } from './reaction-queue.js';

/** External input with the tag that it got. A run cannot recompute it, so recordings contain it. */
export interface Arrival {
  readonly node: string;
  /** Name of a physical action, or of an input with a physical connection. */
  readonly port: string;
  /** Position of the connection among the connections of the input. */
  readonly position: number;
  readonly tag: Tag;
  readonly value: unknown;
}

/** Callbacks from a scheduler to its owner. */
export interface SchedulerHost {
  /** Nanoseconds since the start, according to the clock. */
  elapsed(): number;
  /** Resolves when the clock has reached the time. */
  until(time: number): Promise<void>;
  /** Called when an event was queued, or an action closed, from outside of a reaction. */
  wake(): void;
  arrived(arrival: Arrival): void;
  /** Called when a message over a physical connection is dropped because the run is stopping. */
  dropped(input: string): void;
  /** Called when a rule is violated. The owner must stop the graph by force. */
  failed(error: DataflowError): void;
}

const NO_VALUE: Sealed = seal(undefined);

/**
 * Handles events in the order of their tags. At each tag it first accepts all events, then runs the reactions level by
 * level. It does not decide when: its owner calls `step()`.
 */
export class TagScheduler {
  readonly queue = new EventQueue();
  readonly #ready = new ReactionQueue();
  readonly #active: NodeRuntime[] = [];
  #nodes: readonly NodeRuntime[] = [];
  /** The current tag, or the last one between two tags. */
  tag: Tag = NEVER;
  /** Number of tags handled so far. */
  stamp = 0;
  /** No external input gets an earlier tag. */
  floor: Tag = START;
  acceptsPhysical = false;
  /** The latest tag of any external input. */
  lastArrival: Tag = NEVER;
  /** Planned stop tag. No external input is accepted for a later tag. */
  plannedStop: Tag | undefined = undefined;
  stopTag: Tag | undefined = undefined;
  #isHalted = false;

  constructor(private readonly host: SchedulerHost) {}

  /**
   * Schedules the start reactions and timers.
   *
   * @param after the tag up to which everything was handled before a restart
   */
  start(nodes: readonly NodeRuntime[], after: Tag = NEVER): void {
    this.#nodes = nodes;
    this.tag = after;
    for (const node of nodes) {
      for (const [at, { triggers }] of node.model.reactions.entries()) {
        const reaction = node.reactions[at]!;
        for (const trigger of triggers) {
          if (trigger.kind === 'start' && isBefore(after, START)) this.#schedule(START, new Firing(this, reaction));
          if (trigger.kind !== 'timer') continue;
          const { offset, period } = trigger;
          const first = firstFiring(offset, period, after);
          if (first) this.#schedule(first, new Firing(this, reaction, period));
        }
      }
    }
    // Gives every run a first tag.
    if (isBefore(after, START)) this.#schedule(START, { accept: () => undefined });
    this.acceptsPhysical = true;
  }

  /** Tag of the earliest event. */
  get next(): { readonly time: number; readonly microstep: number } | undefined {
    return this.queue.first;
  }

  /** Whether a physical action is still open. */
  get isOpen(): boolean {
    return this.#nodes.some(({ actions }) => actions.some(({ isOpen }) => isOpen));
  }

  /** The earliest stop tag that loses no accepted input. */
  get earliestStop(): Tag {
    return laterOf(this.tag === NEVER ? START : nextMicrostep(this.tag), this.lastArrival);
  }

  /** Sets the last tag of the run, which must be later than the current one. Later events are never handled. */
  stopAt(tag: Tag): void {
    this.stopTag = tag;
    this.#schedule(tag, { accept: () => this.#shutDown(tag) });
  }

  /** Handles the earliest tag. @returns a promise if a reaction is pending */
  step(): Promise<void> | undefined {
    const { queue } = this;
    const { time, microstep } = queue.first!;
    this.tag = { time, microstep };
    this.stamp++;
    for (let event = queue.first; event && event.time === time && event.microstep === microstep; event = queue.first) {
      queue.pop();
      event.target.accept(event.sealed);
    }
    return this.#react();
  }

  /** Triggers a reaction. It runs once per tag, no matter how often it is triggered. */
  trigger(reaction: ReactionRuntime): void {
    if (reaction.stamp === this.stamp) return;
    reaction.stamp = this.stamp;
    this.#ready.push(reaction);
  }

  /** Abandons the rest of the current tag and all later tags. */
  halt(): void {
    this.#isHalted = true;
    this.acceptsPhysical = false;
    this.#ready.clear();
  }

  /** Cleans up after the run: drops queued events and closes all actions. */
  end(): void {
    this.acceptsPhysical = false;
    this.queue.clear();
    for (const { actions } of this.#nodes) for (const action of actions) action.close();
  }

  delayOf(span: number): Delay {
    return span > 0 ? { time: span, microstep: 0 } : ONE_MICROSTEP;
  }

  /** Returns the tag for external input that arrives now. */
  physicalTag(): Tag {
    const now = { time: Math.floor(this.host.elapsed()), microstep: 0 };
    return [this.floor, this.lastArrival, nextMicrostep(laterOf(this.tag, START))].reduce(laterOf, now);
  }

  /** Whether the run stops before the tag. */
  isTooLate(tag: Tag): boolean {
    const stop = this.stopTag ?? this.plannedStop;
    return stop !== undefined && isBefore(stop, tag);
  }

  dropped(input: string): void {
    this.host.dropped(input);
  }

  arrived(arrival: Arrival): void {
    this.lastArrival = laterOf(this.lastArrival, arrival.tag);
    this.host.arrived(arrival);
    this.host.wake();
  }

  wake(): void {
    this.host.wake();
  }

  /** Reports a violated rule. The graph stops even if the user's code catches the error. */
  violation(error: DataflowError): never {
    this.host.failed(error);
    throw error;
  }

  #schedule(tag: Tag, target: EventTarget): void {
    this.queue.push(tag.time, tag.microstep, target, NO_VALUE);
  }

  #shutDown(tag: Tag): void {
    // The stop tag has been moved since.
    if (tag !== this.stopTag) return;
    this.acceptsPhysical = false;
    for (const node of this.#nodes)
      for (const reaction of node.reactions) if (reaction.isShutdown) this.trigger(reaction);
  }

  #react(): Promise<void> | undefined {
    const ready = this.#ready;
    let waiting: Promise<void>[] | undefined;
    while (!ready.isEmpty) {
      const reaction = ready.pop();
      const promise = this.#run(reaction);
      if (promise) (waiting ??= []).push(promise);
      // Reactions of one level belong to different nodes and do not affect each other, so they can wait concurrently.
      if (waiting && (ready.isEmpty || ready.level > reaction.level)) return this.#reactAfter(waiting);
    }
    const { tag } = this;
    const hash = hashNumber(tag.time) ^ tag.microstep;
    for (let node = this.#active.pop(); node; node = this.#active.pop()) node.trace(tag, hash);
    return undefined;
  }

  #run(reaction: ReactionRuntime): Promise<void> | undefined {
    const { node } = reaction;
    if (node.stamp !== this.stamp) {
      node.stamp = this.stamp;
      this.#active.push(node);
    }
    if (node.model.realTime && this.host.elapsed() < this.tag.time) {
      return this.#invokeInTime(reaction);
    }
    return this.#invoke(reaction);
  }

  async #reactAfter(waiting: readonly Promise<void>[]): Promise<void> {
    await Promise.all(waiting);
    await this.#react();
  }

  async #invokeInTime(reaction: ReactionRuntime): Promise<void> {
    await this.host.until(this.tag.time);
    if (!this.#isHalted) await this.#invoke(reaction);
  }

  #invoke(reaction: ReactionRuntime): Promise<void> | undefined {
    const { node } = reaction;
    node.firings++;
    node.running = reaction;
    if (reaction.isShutdown && this.stopTag && isSame(this.tag, this.stopTag)) reaction.ending = Promise.resolve();
    let result: void | PromiseLike<void> = undefined;
    try {
      result = reaction.run(node.context);
    } catch (error) {
      this.#fail(reaction, error);
    }
    if (typeof (result as PromiseLike<void> | undefined)?.then !== 'function') {
      node.running = undefined;
      return undefined;
    }
    const settled = this.#settle(reaction, result as PromiseLike<void>);
    if (reaction.ending) reaction.ending = settled;
    return settled;
  }

  async #settle(reaction: ReactionRuntime, result: PromiseLike<void>): Promise<void> {
    try {
      await result;
    } catch (error) {
      this.#fail(reaction, error);
    }
    reaction.node.running = undefined;
  }

  #fail(reaction: ReactionRuntime, error: unknown): void {
    const { node, name } = reaction;
    this.host.failed(
      error instanceof DataflowError ? error : new ReactionFailedError(node.name, name, this.tag, error),
    );
  }
}

/** Returns the first tag after the given one at which a timer fires. */
function firstFiring(offset: number, period: number | undefined, after: Tag): Tag | undefined {
  const first = { time: offset, microstep: 0 };
  if (isBefore(after, first)) return first;
  if (period === undefined) return undefined;
  return { time: offset + (Math.floor((after.time - offset) / period) + 1) * period, microstep: 0 };
}

/** Triggers a reaction once, or repeatedly with a period. */
class Firing implements EventTarget {
  constructor(
    private readonly scheduler: TagScheduler,
    private readonly reaction: ReactionRuntime,
    private readonly period?: number,
  ) {}

  get owner(): string {
    return this.reaction.node.name;
  }

  accept(): void {
    const { scheduler, period } = this;
    if (period !== undefined) scheduler.queue.push(scheduler.tag.time + period, 0, this, NO_VALUE);
    scheduler.trigger(this.reaction);
  }
}
