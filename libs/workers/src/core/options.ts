import { consoleLogger, guardedLogger, type RoostLogger } from '@roost/kernel';
import { type Clock, systemClock } from '@roost/time';
import { check, durationFromEnv } from './option-checks.js';
import { assertRestartPolicy, restartBackoff, type RestartPolicy } from './restart-policy.js';

/** Options of `WorkersModule.forRoot()` and of `Workers`. @publicApi */
export interface WorkersOptions {
  /**
   * Time in ms that a shutdown waits for a process to stop. Env: `ROOST_MAX_WAIT_MS`.
   *
   * @default 30_000, or less when the shutdown's deadline is earlier
   */
  maxWaitMs?: number;
  /** Restart policy of processes without their own. @default `restartBackoff()` */
  restart?: RestartPolicy;
  /** @default `systemClock` */
  clock?: Clock;
  /** @default the console; under Nest, Nest's logger */
  logger?: RoostLogger;
}

/** The options with all defaults applied. */
export interface ResolvedWorkersOptions extends Required<WorkersOptions> {
  /** Whether the wait is the default. A shutdown may shorten a default wait to the time that its phases leave. */
  readonly isDefaultWait: boolean;
}

/** The documented defaults. @publicApi */
export const DEFAULT_WORKERS_OPTIONS = {
  maxWaitMs: 30_000,
  restart: restartBackoff(),
  clock: systemClock,
  logger: consoleLogger('workers'),
} as const satisfies Required<WorkersOptions>;

/**
 * Applies environment variables and defaults. An option takes precedence over its variable. @throws
 * InvalidWorkerOptionError
 */
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
