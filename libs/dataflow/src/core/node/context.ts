import type { RoostLogger } from '@roost/kernel';
import type { Span } from '../time/span.js';
import type { Tag } from '../time/tag.js';
import type { NodeAction } from './actions.js';

/** When to stop: neither means as soon as possible. @publicApi */
export interface StopRequest {
  /** At this tag, or at this much time after the start. */
  at?: Tag | Span;
  /** This much after the tag of who asks; who asks from outside counts from now, in a graph that is not `fast`. */
  after?: Span;
}

/**
 * What a reaction may know of the world. Whatever it takes from here is the same in every run of the same graph on the same
 * inputs, wherever the node is placed.
 *
 * @publicApi
 */
export interface NodeContext {
  /** Name of the node. */
  readonly node: string;
  /** The current tag. */
  readonly now: Tag;
  /** The current tag as a date: the start of the run, which is recorded, plus logical time. */
  readonly date: Date;
  /** Lines carry the node, the tag and how far the clock is. */
  readonly logger: Required<RoostLogger>;
  /** Aborts when the graph is stopped by force: for what a reaction waits for. */
  readonly signal: AbortSignal;
  /** At least 0 and below 1, from a generator of the node's own. */
  random(): number;
  /** A new UUID, from a generator of the node's own. */
  id(): string;
  /** Runs a function of the node `delay` later, before the reactions of that tag; with a delay of 0 in the next microstep. */
  schedule(delay: Span, then: (ctx: NodeContext) => void | Promise<void>): void;
  /** The same as `action.schedule(delay, value)`. */
  schedule<T>(delay: Span, action: NodeAction<T>, ...value: undefined extends T ? [value?: T] : [value: T]): void;
  /** Stops the whole graph: at the next microstep, or when `request` says. Every event up to the stop tag is handled. */
  requestShutdown(request?: StopRequest): void;
  /** Stops the whole graph at once: events are lost. @param exitCode 1 to 255 @default 1 */
  fail(reason: string, exitCode?: number): never;
}
