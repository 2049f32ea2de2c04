import { consoleLogger, guardedLogger, type RoostLogger, withoutUndefined } from '@roost/kernel';
import { type Clock, systemClock } from '@roost/time';
import { InvalidDataflowOptionError } from '../errors/invalid-dataflow-option.error.js';
import type { GraphBuilder } from '../graph/builder.js';
import { check } from '../option-checks.js';
import { isSpan, type Span } from '../time/span.js';
import { assertRecording, type Recording } from './recording.js';

/** What every placement of a graph takes. @publicApi */
export interface DataflowOptions {
  /** Describes the graph. Every process of a run must describe the same. */
  graph: (g: GraphBuilder) => void;
  /** Handle tags as fast as possible, instead of when their time has come on the clock. @default false */
  fast?: boolean;
  /** Stop at this logical time, unless there is nothing left to do before. @default never */
  timeout?: Span;
  /** For `ctx.random()` and `ctx.id()`. @default 'roost' */
  seed?: string;
  /** Logs every tag, and between processes every grant, with logical time and the clock. @default false */
  trace?: boolean;
  /** Keep what comes from outside, for `replay`. Grows with it. @default false */
  record?: boolean;
  /** Take what comes from outside from the recording of an earlier run. @default nothing */
  replay?: Recording;
  /** How far a tag may be behind the clock before that is logged and the health indicator says so. @default 1000 */
  lagWarningMs?: number;
  /** How long the shutdown methods of nodes may take when the graph is stopped by force. @default 2000 */
  forceTimeoutMs?: number;
  /** @default the console; in Nest its Logger */
  logger?: RoostLogger;
  /** @default systemClock */
  clock?: Clock;
}

export type ResolvedDataflowOptions = Required<Omit<DataflowOptions, 'timeout' | 'replay'>> &
  Pick<DataflowOptions, 'timeout' | 'replay'>;

/** @publicApi */
export const DEFAULT_DATAFLOW_OPTIONS = Object.freeze({
  fast: false,
  seed: 'roost',
  trace: false,
  record: false,
  lagWarningMs: 1_000,
  forceTimeoutMs: 2_000,
});

/** The compiler refuses the list when an option is missing. */
export const DATAFLOW_OPTION_NAMES = Object.keys({
  graph: true,
  fast: true,
  timeout: true,
  seed: true,
  trace: true,
  record: true,
  replay: true,
  lagWarningMs: true,
  forceTimeoutMs: true,
  logger: true,
  clock: true,
} satisfies Record<keyof DataflowOptions, true>);

/**
 * @param others names of options that the same object may have for a placement
 * @throws InvalidDataflowOptionError
 */
export function resolveDataflowOptions(
  options: DataflowOptions,
  others: readonly string[] = [],
): ResolvedDataflowOptions {
  check.knownKeys(options, [...DATAFLOW_OPTION_NAMES, ...others]);
  const given = withoutUndefined(options) as DataflowOptions;
  const { clock = systemClock, logger = consoleLogger('dataflow'), ...rest } = given;
  const resolved = { ...DEFAULT_DATAFLOW_OPTIONS, ...rest, clock, logger: guardedLogger(logger) };
  const { graph, timeout } = resolved;
  if (typeof graph !== 'function')
    throw new InvalidDataflowOptionError('graph', graph, 'a function that describes the graph');
  check.text(resolved.seed, 'seed');
  if (timeout !== undefined && !isSpan(timeout)) {
    throw new InvalidDataflowOptionError('timeout', timeout, 'a span such as span.seconds(10)');
  }
  for (const name of ['fast', 'trace', 'record'] as const) check.boolean(resolved[name], name);
  check.number(resolved.lagWarningMs, 'lagWarningMs', { least: 0 });
  check.timeout(resolved.forceTimeoutMs, 'forceTimeoutMs', { least: 0 });
  if (resolved.replay) assertRecording(resolved.replay);
  return resolved;
}
