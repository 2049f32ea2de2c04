import type { NodeAction, NodePhysicalAction } from '../node/actions.js';
import type { NodeContext } from '../node/context.js';
import { declareReaction, type ReactionOptions } from '../node/declaration.js';
import type { InputPort } from '../node/input-port.js';
import { check } from '../option-checks.js';
import { nanosecondsOf, type Span } from '../time/span.js';

/** What a reaction looks like. If it returns a promise, its tag is held until that settles. @publicApi */
export type ReactionMethod = (ctx: NodeContext) => void | Promise<void>;

type OnMethod = <M extends ReactionMethod>(target: object, key: string, descriptor: TypedPropertyDescriptor<M>) => void;
// eslint-disable-next-line @typescript-eslint/no-explicit-any -- whatever it carries
type Triggering = InputPort<any> | NodeAction<any> | NodePhysicalAction<any>;
type OnMethodOf<K extends string> = <T extends Record<K, Triggering>, M extends ReactionMethod>(
  target: T,
  key: string,
  descriptor: TypedPropertyDescriptor<M>,
) => void;

const REACTION_KEYS = ['reads', 'writes'];

type TriggersAndOptions = [string, ...string[]] | [...triggers: [string, ...string[]], options: ReactionOptions];

/**
 * Runs the method at every tag at which one of the named inputs or actions is present: once, when all inputs of that tag are
 * there. Reactions of a node run in the order in which the class declares them, one at a time.
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

/** Runs the method at the first tag of the run. @publicApi */
export const OnStart = (options: ReactionOptions = {}): OnMethod => {
  check.knownKeys(options, REACTION_KEYS, '@OnStart');
  return (target, key) => declareReaction(target.constructor, key, { kind: 'start' }, options);
};

/**
 * Runs the method at the last tag of the run, after the reactions of its node. It is also run when the graph is stopped by
 * force, without a tag to read or write at.
 *
 * @publicApi
 */
export const OnShutdown = (options: ReactionOptions = {}): OnMethod => {
  check.knownKeys(options, REACTION_KEYS, '@OnShutdown');
  return (target, key) => declareReaction(target.constructor, key, { kind: 'shutdown' }, { writes: [], ...options });
};

/** @publicApi */
export interface TimerOptions extends ReactionOptions {
  /** When it fires first. @default the start */
  offset?: Span;
  /** Time between two firings. Without one it fires once. */
  period?: Span;
}

/** Runs the method at the start plus `offset`, and then every `period`, in logical time. @publicApi */
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
