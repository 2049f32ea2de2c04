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

/** Something that came from outside, with the tag it got: what a run cannot compute again by itself. */
export interface Arrival {
  readonly node: string;
  /** A physical action, or an input with a physical connection. */
  readonly port: string;
  /** Which connection of the input. */
  readonly position: number;
  readonly tag: Tag;
  readonly value: unknown;
}

/** What a scheduler asks of what is around it. */
export interface SchedulerHost {
  /** Nanoseconds since the start, by the clock. */
  elapsed(): number;
  /** Resolves when the clock has reached it. */
  until(time: number): Promise<void>;
  /** Something was put in the queue, or closed, from outside of a reaction. */
  wake(): void;
  arrived(arrival: Arrival): void;
  /** Something came over a physical connection when the run was at its end. */
  dropped(input: string): void;
  /** A rule was broken. The graph is to be stopped by force. */
  failed(error: DataflowError): void;
}

const NO_VALUE: Sealed = seal(undefined);

/**
 * Handles events in the order of their tags: at each tag first everything that arrives, then the reactions, level by level.
 * It decides nothing about when: whoever owns it calls `step()`.
 */
export class TagScheduler {
  readonly queue = new EventQueue();
  readonly #ready = new ReactionQueue();
  readonly #active: NodeRuntime[] = [];
  #nodes: readonly NodeRuntime[] = [];
  /** The current tag, or the last one. */
  tag: Tag = NEVER;
  /** Counts the tags that were handled. */
  stamp = 0;
  /** No event from outside gets a tag before it. */
  floor: Tag = START;
  acceptsPhysical = false;
  /** The latest tag that something from outside got. */
  lastArrival: Tag = NEVER;
  /** Where the run is to stop, if it gets there: nothing from outside is accepted for later. */
  plannedStop: Tag | undefined = undefined;
  stopTag: Tag | undefined = undefined;
  #isHalted = false;

  constructor(private readonly host: SchedulerHost) {}

  /**
   * Everything is due at the start: start reactions and timers.
   *
   * @param after everything up to this tag was handled by an earlier life
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
    // So that every run has a first tag.
    if (isBefore(after, START)) this.#schedule(START, { accept: () => undefined });
    this.acceptsPhysical = true;
  }

  /** The earliest tag at which there is something to do. */
  get next(): { readonly time: number; readonly microstep: number } | undefined {
    return this.queue.first;
  }

  /** Whether something may still come from outside. */
  get isOpen(): boolean {
    return this.#nodes.some(({ actions }) => actions.some(({ isOpen }) => isOpen));
  }

  /** The earliest stop that loses nothing that was accepted. */
  get earliestStop(): Tag {
    return laterOf(this.tag === NEVER ? START : nextMicrostep(this.tag), this.lastArrival);
  }

  /** The last tag. It must be later than the current one. What is later than it is never handled. */
  stopAt(tag: Tag): void {
    this.stopTag = tag;
    this.#schedule(tag, { accept: () => this.#shutDown(tag) });
  }

  /** Handles the earliest tag. @returns a promise when a reaction is waiting for something */
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

  /** Once per tag, however often it is called. */
  trigger(reaction: ReactionRuntime): void {
    if (reaction.stamp === this.stamp) return;
    reaction.stamp = this.stamp;
    this.#ready.push(reaction);
  }

  /** The rest of the current tag is not handled, and nothing after it. */
  halt(): void {
    this.#isHalted = true;
    this.acceptsPhysical = false;
    this.#ready.clear();
  }

  /** The run is over: nothing waits for anything any more. */
  end(): void {
    this.acceptsPhysical = false;
    this.queue.clear();
    for (const { actions } of this.#nodes) for (const action of actions) action.close();
  }

  delayOf(span: number): Delay {
    return span > 0 ? { time: span, microstep: 0 } : ONE_MICROSTEP;
  }

  /** For something that comes from outside now. */
  physicalTag(): Tag {
    const now = { time: Math.floor(this.host.elapsed()), microstep: 0 };
    return [this.floor, this.lastArrival, nextMicrostep(laterOf(this.tag, START))].reduce(laterOf, now);
  }

  /** Whether the run ends before that tag. */
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

  /** Also when the user's code catches it, the graph ends. */
  violation(error: DataflowError): never {
    this.host.failed(error);
    throw error;
  }

  #schedule(tag: Tag, target: EventTarget): void {
    this.queue.push(tag.time, tag.microstep, target, NO_VALUE);
  }

  #shutDown(tag: Tag): void {
    // It has been moved since.
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
      // Reactions of one level belong to different nodes and cannot see each other: those that wait do so side by side.
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

/** The first time a timer fires after a tag. */
function firstFiring(offset: number, period: number | undefined, after: Tag): Tag | undefined {
  const first = { time: offset, microstep: 0 };
  if (isBefore(after, first)) return first;
  if (period === undefined) return undefined;
  return { time: offset + (Math.floor((after.time - offset) / period) + 1) * period, microstep: 0 };
}

/** Sets off a reaction, once or again and again. */
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
