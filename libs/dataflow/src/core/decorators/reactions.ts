import type { NodeAction, NodePhysicalAction } from '../node/actions.js';
import type { NodeContext } from '../node/context.js';
import { declareReaction, type ReactionOptions } from '../node/declaration.js';
import type { InputPort } from '../node/input-port.js';
import { check } from '../option-checks.js';
import { nanosecondsOf, type Span } from '../time/span.js';

/** Signature of a reaction. If it returns a promise, the tag ends only after the promise has settled. @publicApi */
export type ReactionMethod = (ctx: NodeContext) => void | Promise<void>;

type OnMethod = <M extends ReactionMethod>(target: object, key: string, descriptor: TypedPropertyDescriptor<M>) => void;
// eslint-disable-next-line @typescript-eslint/no-explicit-any -- ports of any payload type
type Triggering = InputPort<any> | NodeAction<any> | NodePhysicalAction<any>;
type OnMethodOf<K extends string> = <T extends Record<K, Triggering>, M extends ReactionMethod>(
  target: T,
  key: string,
  descriptor: TypedPropertyDescriptor<M>,
) => void;

const REACTION_KEYS = ['reads', 'writes'];

type TriggersAndOptions = [string, ...string[]] | [...triggers: [string, ...string[]], options: ReactionOptions];

/**
 * Runs the method at every tag at which at least one of the named inputs or actions is present. It runs once per tag,
 * after all inputs of that tag have arrived. Reactions of a node run one at a time, in the order of their declaration.
 *
 * @example
 * ```ts
 * import { DataflowNode, Input, InputPort, Output, OutputPort, Reaction } from '@roost/dataflow';
 *
 * @DataflowNode()
 * class Sum {
 *   @Input() left!: InputPort<number>;
 *   @Input() right!: InputPort<number>;
 *   @Output() sum!: OutputPort<number>;
 *
 *   @Reaction('left', 'right', { writes: ['sum'] })
 *   add(): void {
 *     this.sum.set((this.left.value ?? 0) + (this.right.value ?? 0));
 *   }
 * }
 * ```
 *
 * @publicApi
 */
export function Reaction<A extends TriggersAndOptions>(...args: A): OnMethodOf<Extract<A[number], string>> {
  const last = args.at(-1);
  const options = typeof last === 'object' ? last : {};
  check.knownKeys(options, REACTION_KEYS, '@Reaction');
  const names = (args as readonly unknown[]).filter((arg) => typeof arg === 'string');
  return (target, key) =>
    declareReaction(
      target.constructor,
      key,
      names.map((name) => ({ kind: 'member', name })),
      options,
    );
}

/**
 * Runs the method at the first tag of the run.
 *
 * @example
 * ```ts
 * import { DataflowNode, OnStart, type NodeContext } from '@roost/dataflow';
 *
 * @DataflowNode()
 * class Announcer {
 *   @OnStart()
 *   start(ctx: NodeContext): void {
 *     ctx.logger.log('the run has started');
 *   }
 * }
 * ```
 *
 * @publicApi
 */
export const OnStart = (options: ReactionOptions = {}): OnMethod => {
  check.knownKeys(options, REACTION_KEYS, '@OnStart');
  return (target, key) => declareReaction(target.constructor, key, { kind: 'start' }, options);
};

/**
 * Runs the method at the last tag of the run, after the other reactions of its node. It also runs when the graph is
 * stopped by force. In that case there is no current tag, so ports cannot be read or written.
 *
 * @example
 * ```ts
 * import { appendFile } from 'node:fs/promises';
 * import { DataflowNode, OnShutdown } from '@roost/dataflow';
 *
 * @DataflowNode()
 * class Writer {
 *   private readonly lines: string[] = [];
 *
 *   @OnShutdown()
 *   async flush(): Promise<void> {
 *     await appendFile('values.log', this.lines.join('\n'));
 *   }
 * }
 * ```
 *
 * @publicApi
 */
export const OnShutdown = (options: ReactionOptions = {}): OnMethod => {
  check.knownKeys(options, REACTION_KEYS, '@OnShutdown');
  return (target, key) => declareReaction(target.constructor, key, { kind: 'shutdown' }, { writes: [], ...options });
};

/** @publicApi */
export interface TimerOptions extends ReactionOptions {
  /** Logical time of the first firing. @default the start of the run */
  offset?: Span;
  /** Logical time between two firings. Without a period, the timer fires once. */
  period?: Span;
}

/**
 * Runs the method at `offset` after the start and then every `period`, in logical time.
 *
 * @example
 * ```ts
 * import { DataflowNode, OnTimer, span } from '@roost/dataflow';
 *
 * @DataflowNode()
 * class Heartbeat {
 *   @OnTimer({ offset: span.seconds(1), period: span.ms(500) })
 *   beat(): void {
 *     console.log('alive');
 *   }
 * }
 * ```
 *
 * @publicApi
 */
export const OnTimer = (options: TimerOptions = {}): OnMethod => {
  check.knownKeys(options, [...REACTION_KEYS, 'offset', 'period'], '@OnTimer');
  const { offset, period, ...rest } = options;
  const trigger = {
    kind: 'timer',
    offset: offset === undefined ? 0 : nanosecondsOf(offset),
    period: period === undefined ? undefined : nanosecondsOf(period),
  } as const;
  return (target, key) => declareReaction(target.constructor, key, trigger, rest);
};
