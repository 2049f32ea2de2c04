import { constants } from 'node:os';
import { consoleLogger, guardedLogger, type RoostLogger, withoutUndefined } from '@roost/kernel';
import { type Clock, parseDuration, systemClock } from '@roost/time';
import { ContradictoryOptionsError } from './errors/contradictory-options.error.js';
import { InvalidShutdownOptionError } from './errors/invalid-shutdown-option.error.js';
import { check } from './option-checks.js';
import type { PhaseOptions } from './phase.js';

/** @publicApi */
export interface ExitOptions {
  /**
   * When to call `process.exit`. `'on-signal'`: if a signal, an uncaught error or a reason with `endsProcess` started
   * the shutdown. `true`: always. `false`: never.
   *
   * @default 'on-signal'
   */
  process?: 'on-signal' | boolean;
  /** Exit code if a task or hook failed or timed out, or the overall deadline passed. @default 1 */
  onFailure?: number;
  /** Exit codes by reason name: `{ 'cluster-downing': 70 }`. A 0 here does not hide a failure. @default {} */
  reasons?: Readonly<Record<string, number>>;
}

/** @publicApi */
export interface CoordinatedShutdownOptions {
  /**
   * Overall limit in ms, from the trigger to the end of the last Nest hook. Env: `ROOST_TIMEOUT_MS`. @default 30_000
   */
  timeoutMs?: number;
  /** Timeout in ms for phases without their own `timeoutMs`. @default 5_000 */
  defaultPhaseTimeoutMs?: number;
  /** Settings for canonical phases and declarations of new ones. @default {} */
  phases?: Readonly<Record<string, PhaseOptions>>;
  /**
   * `'sequential'`: one phase at a time. `'graph'`: a phase starts as soon as its dependencies are done. @default
   * 'sequential'
   */
  concurrency?: 'sequential' | 'graph';
  /** Signals that start a shutdown. An empty list means none. @default ['SIGTERM', 'SIGINT'] */
  signals?: readonly NodeJS.Signals[];
  /**
   * Effect of a further signal during the shutdown. The same signal within half a second does not count as a further
   * one, because `npm start` forwards a Ctrl+C that the terminal has already sent to the process.
   *
   * @default { SIGINT: 'exit' }, all others 'ignore'
   */
  secondSignal?: Readonly<Partial<Record<NodeJS.Signals, 'exit' | 'ignore'>>>;
  exit?: ExitOptions;
  /** Whether an uncaught exception or unhandled rejection runs the phases and then exits 1. @default false */
  uncaught?: boolean;
  /** Whether `run()` rejects with `ShutdownFailedError` unless everything completed. @default false */
  throwOnFailure?: boolean;
  /** Longest time in ms that a signal received during boot waits for the boot to settle. @default 30_000 */
  bootTimeoutMs?: number;
  /** Time in ms that the orchestrator allows before SIGKILL. The boot checks the budget against it. @default 30_000 */
  gracePeriodMs?: number;
  /** Part of the grace period, in ms, that a Kubernetes preStop hook uses before SIGTERM is sent. @default 0 */
  preStopMs?: number;
  /** Time in ms that the budget check reserves for Nest's own hooks. @default 1_000 */
  hooksBudgetMs?: number;
  /** @default `systemClock` */
  clock?: Clock;
  /** @default the console; under Nest, Nest's logger */
  logger?: RoostLogger;
}

/** The options with every default filled in. */
export interface ResolvedShutdownOptions extends Required<Omit<CoordinatedShutdownOptions, 'exit'>> {
  readonly exit: Required<ExitOptions>;
}

/** The documented defaults. @publicApi */
export const DEFAULT_SHUTDOWN_OPTIONS = {
  timeoutMs: 30_000,
  defaultPhaseTimeoutMs: 5_000,
  phases: {},
  concurrency: 'sequential',
  signals: ['SIGTERM', 'SIGINT'],
  secondSignal: { SIGINT: 'exit' },
  exit: { process: 'on-signal', onFailure: 1, reasons: {} },
  uncaught: false,
  throwOnFailure: false,
  bootTimeoutMs: 30_000,
  gracePeriodMs: 30_000,
  preStopMs: 0,
  hooksBudgetMs: 1_000,
  clock: systemClock,
  logger: consoleLogger('shutdown'),
} as const satisfies ResolvedShutdownOptions;

const TIMEOUT_VARIABLE = 'ROOST_TIMEOUT_MS';
const UNCATCHABLE = ['SIGKILL', 'SIGSTOP'];

/** Fills in defaults and rejects values that would fail later. */
export function resolveShutdownOptions(
  options: CoordinatedShutdownOptions = {},
  env: NodeJS.ProcessEnv = process.env,
): ResolvedShutdownOptions {
  check.knownKeys(options, Object.keys(DEFAULT_SHUTDOWN_OPTIONS));
  const exit = resolveExit(options.exit);
  const resolved: ResolvedShutdownOptions = { ...DEFAULT_SHUTDOWN_OPTIONS, ...withoutUndefined(options), exit };
  if (options.timeoutMs === undefined) resolved.timeoutMs = timeoutFromEnv(env) ?? resolved.timeoutMs;

  for (const option of ['timeoutMs', 'defaultPhaseTimeoutMs', 'bootTimeoutMs', 'gracePeriodMs'] as const) {
    check.timeout(resolved[option], option);
  }
  for (const option of ['preStopMs', 'hooksBudgetMs'] as const) check.timeout(resolved[option], option, { least: 0 });
  check.oneOf(resolved.concurrency, ['sequential', 'graph'], 'concurrency');
  check.boolean(resolved.uncaught, 'uncaught');
  check.boolean(resolved.throwOnFailure, 'throwOnFailure');
  assertSignals(resolved.signals);
  check.object(resolved.secondSignal, 'secondSignal');
  for (const [signal, action] of Object.entries(resolved.secondSignal)) {
    check.oneOf(action, ['exit', 'ignore'], `secondSignal.${signal}`);
  }
  resolved.secondSignal = { ...DEFAULT_SHUTDOWN_OPTIONS.secondSignal, ...resolved.secondSignal };
  check.object(resolved.phases, 'phases');
  if (resolved.uncaught && resolved.exit.process === false) {
    throw new ContradictoryOptionsError(
      ['uncaught: true', 'exit.process: false'],
      'after an uncaught error the state of the process is unknown, so it must be allowed to exit.',
    );
  }
  resolved.logger = guardedLogger(resolved.logger);
  return resolved;
}

function timeoutFromEnv(env: NodeJS.ProcessEnv): number | undefined {
  const expected = 'a number of milliseconds, or a duration such as "10s"';
  const timeoutMs = check.fromEnv(TIMEOUT_VARIABLE, env, parseDuration, expected);
  if (timeoutMs !== undefined) check.timeout(timeoutMs, TIMEOUT_VARIABLE);
  return timeoutMs;
}

export function assertSignals(signals: unknown): asserts signals is readonly NodeJS.Signals[] {
  check.list(signals, 'signals');
  for (const signal of signals) {
    if (typeof signal !== 'string' || !(signal in constants.signals)) {
      throw new InvalidShutdownOptionError('signals', signal, 'the name of a signal, such as "SIGTERM"');
    }
    if (UNCATCHABLE.includes(signal)) {
      throw new InvalidShutdownOptionError('signals', signal, 'a signal that a process can catch');
    }
  }
}

function resolveExit(exit: ExitOptions = {}): Required<ExitOptions> {
  check.knownKeys(exit, Object.keys(DEFAULT_SHUTDOWN_OPTIONS.exit), 'exit');
  const resolved: Required<ExitOptions> = { ...DEFAULT_SHUTDOWN_OPTIONS.exit, ...withoutUndefined(exit) };
  check.oneOf(resolved.process, ['on-signal', true, false], 'exit.process');
  assertExitCode(resolved.onFailure, 'exit.onFailure');
  check.object(resolved.reasons, 'exit.reasons');
  for (const [reason, code] of Object.entries(resolved.reasons)) assertExitCode(code, `exit.reasons["${reason}"]`);
  return resolved;
}

const assertExitCode = (code: unknown, option: string): void =>
  check.number(code, option, { whole: true, least: 0, most: 255 });
