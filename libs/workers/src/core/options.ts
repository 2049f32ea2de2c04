import { consoleLogger, guardedLogger, type RoostLogger } from '@roost/kernel';
import { type Clock, systemClock } from '@roost/time';
import { check, durationFromEnv } from './option-checks.js';
import { assertRestartPolicy, restartBackoff, type RestartPolicy } from './restart-policy.js';

/** @publicApi */
export interface WorkersOptions {
  /**
   * How long a shutdown waits for a process to end. Env: `ROOST_MAX_WAIT_MS`.
   *
   * @default 30_000, or less when the deadline of the shutdown comes first
   */
  maxWaitMs?: number;
  /** For processes that have no policy of their own. @default `restartBackoff()` */
  restart?: RestartPolicy;
  /** @default `systemClock` */
  clock?: Clock;
  /** @default lines on the console; under Nest, Nest's logger */
  logger?: RoostLogger;
}

/** The options with every default filled in. */
export interface ResolvedWorkersOptions extends Required<WorkersOptions> {
  /** Whether the wait is the default. A shutdown may shorten it to the time that its phases leave. */
  readonly isDefaultWait: boolean;
}

/** The documented defaults. @publicApi */
export const DEFAULT_WORKERS_OPTIONS = {
  maxWaitMs: 30_000,
  restart: restartBackoff(),
  clock: systemClock,
  logger: consoleLogger('workers'),
} as const satisfies Required<WorkersOptions>;

/** Fills in env variables and defaults. An option wins over its env variable. @throws InvalidWorkerOptionError */
export function resolveWorkersOptions(options: WorkersOptions = {}, env = process.env): ResolvedWorkersOptions {
  check.knownKeys(options, Object.keys(DEFAULT_WORKERS_OPTIONS));
  const chosenWaitMs = options.maxWaitMs ?? durationFromEnv('ROOST_MAX_WAIT_MS', env);
  const maxWaitMs = chosenWaitMs ?? DEFAULT_WORKERS_OPTIONS.maxWaitMs;
  const restart = options.restart ?? DEFAULT_WORKERS_OPTIONS.restart;
  check.timeout(maxWaitMs, 'maxWaitMs');
  assertRestartPolicy(restart, 'restart');
  return {
    maxWaitMs,
    isDefaultWait: chosenWaitMs === undefined,
    restart,
    clock: options.clock ?? DEFAULT_WORKERS_OPTIONS.clock,
    logger: guardedLogger(options.logger ?? DEFAULT_WORKERS_OPTIONS.logger),
  };
}
