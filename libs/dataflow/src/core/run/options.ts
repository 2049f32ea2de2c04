import { consoleLogger, guardedLogger, type RoostLogger, withoutUndefined } from '@roost/kernel';
import { type Clock, systemClock } from '@roost/time';
import { InvalidDataflowOptionError } from '../errors/invalid-dataflow-option.error.js';
import type { GraphBuilder } from '../graph/builder.js';
import { check } from '../option-checks.js';
import { isSpan, type Span } from '../time/span.js';
import { assertRecording, type Recording } from './recording.js';

/** Options of a graph in any placement. @publicApi */
export interface DataflowOptions {
  /** Describes the graph. All processes of a run must describe the same graph. */
  graph: (g: GraphBuilder) => void;
  /** Whether to handle tags as fast as possible instead of at their time on the clock. @default false */
  fast?: boolean;
  /** Logical time at which the run stops, unless it completes earlier. @default never */
  timeout?: Span;
  /** Seed for `ctx.random()` and `ctx.id()`. @default 'roost' */
  seed?: string;
  /** Whether to log every tag, and every grant between processes, with logical time and clock time. @default false */
  trace?: boolean;
  /** Whether to record external input for `replay`. The recording grows with every input. @default false */
  record?: boolean;
  /** Recording of an earlier run whose external input is replayed. @default none */
  replay?: Recording;
  /**
   * Lag behind the clock, in ms, above which a warning is logged and the health indicator is degraded.
   *
   * @default 1000
   */
  lagWarningMs?: number;
  /** Time in ms for the shutdown methods of nodes when the graph is stopped by force. @default 2000 */
  forceTimeoutMs?: number;
  /** Logger of the graph. @default the console; in Nest, its Logger */
  logger?: RoostLogger;
  /** Clock of the run. @default systemClock */
  clock?: Clock;
}

export type ResolvedDataflowOptions = Required<Omit<DataflowOptions, 'timeout' | 'replay'>> &
  Pick<DataflowOptions, 'timeout' | 'replay'>;

/** Default values of `DataflowOptions`. @publicApi */
export const DEFAULT_DATAFLOW_OPTIONS = Object.freeze({
  fast: false,
  seed: 'roost',
  trace: false,
  record: false,
  lagWarningMs: 1_000,
  forceTimeoutMs: 2_000,
});

/** The compiler rejects this list if an option is missing. */
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
 * @param others names of a placement's options that the same object may contain
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
