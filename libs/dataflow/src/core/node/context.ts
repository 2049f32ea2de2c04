import type { RoostLogger } from '@roost/kernel';
import type { Span } from '../time/span.js';
import type { Tag } from '../time/tag.js';
import type { NodeAction } from './actions.js';

/** When to stop the graph. Without `at` and `after`, as soon as possible. @publicApi */
export interface StopRequest {
  /** Stop at this tag, or at this time after the start. */
  at?: Tag | Span;
  /**
   * Stop this long after the tag of the requesting reaction. For a request from outside of the graph, counted from the
   * current time on the clock, or from the current tag in a `fast` graph.
   */
  after?: Span;
}

/**
 * The context of a reaction. All values that it provides are the same in every run of the same graph with the same
 * inputs, no matter where the node is placed.
 *
 * @example
 * ```ts
 * import { DataflowNode, Input, InputPort, type NodeContext, Reaction, span } from '@roost/dataflow';
 *
 * @DataflowNode()
 * class OrderNode {
 *   @Input() item!: InputPort<string>;
 *
 *   @Reaction('item')
 *   accept(ctx: NodeContext): void {
 *     const id = ctx.id(); // the same in every run
 *     ctx.logger.log(`order ${id} for ${this.item.value}`);
 *     ctx.schedule(span.seconds(30), (later) => later.logger.log(`order ${id} has expired`));
 *   }
 * }
 * ```
 *
 * @publicApi
 */
export interface NodeContext {
  /** Name of the node. */
  readonly node: string;
  /** The current tag. */
  readonly now: Tag;
  /** The current tag as a date: the recorded start of the run plus logical time. */
  readonly date: Date;
  /** Logger whose lines carry the node, the tag and the time on the clock. */
  readonly logger: Required<RoostLogger>;
  /** Aborts when the graph is stopped by force. Pass it to operations that a reaction awaits. */
  readonly signal: AbortSignal;
  /** Returns a number of at least 0 and below 1, from the node's own generator. */
  random(): number;
  /** Returns a new UUID, from the node's own generator. */
  id(): string;
  /**
   * Runs a function `delay` after the current tag, before the reactions of that tag. A delay of 0 means the next
   * microstep.
   */
  schedule(delay: Span, then: (ctx: NodeContext) => void | Promise<void>): void;
  /** The same as `action.schedule(delay, value)`. */
  schedule<T>(delay: Span, action: NodeAction<T>, ...value: undefined extends T ? [value?: T] : [value: T]): void;
  /** Stops the whole graph, at the next microstep or as `request` says. Every event up to the stop tag is handled. */
  requestShutdown(request?: StopRequest): void;
  /** Stops the whole graph by force. Events are lost. @param exitCode 1 to 255 @default 1 */
  fail(reason: string, exitCode?: number): never;
}
