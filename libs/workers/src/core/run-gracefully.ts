import { CoordinatedShutdown, type CoordinatedShutdownOptions, Phase, type ProcessLike } from '@roost/shutdown/core';
import { reportInFlight, reportReady } from './child/agent.js';
import { check, durationFromEnv } from './option-checks.js';
import type { RunToken } from './run/run-token.js';
import { registerWorkersTasks } from './shutdown-tasks.js';
import { isNormalEnding } from './stop-signal/normal-ending.js';
import { type RunGracefullyOptions, Workers } from './workers.js';

/** Options of `runGracefully()` in a script. @publicApi */
export interface ScriptOptions extends RunGracefullyOptions {
  /** Time in ms that the function may take after a signal. Env: `ROOST_MAX_WAIT_MS`. @default 30_000 */
  maxWaitMs?: number;
  /**
   * Options of the shutdown that a signal starts. By default its `timeoutMs` is `ROOST_TIMEOUT_MS`, or `maxWaitMs` plus
   * 5 s.
   *
   * @default {}
   */
  shutdown?: CoordinatedShutdownOptions;
  /** @default `process` */
  process?: ProcessLike;
}

/** Time in ms for the shutdown in addition to the wait. */
const SPARE_MS = 5_000;

/**
 * Runs a function in a script without Nest. A signal makes `run.isRunning()` false, and the process exits when the
 * function has finished. The exit code is not 0 if the function failed or took longer than `maxWaitMs`. Without a
 * signal, the call behaves as if the function had been called directly.
 *
 * @example
 * ```ts
 * import { runGracefully } from '@roost/workers/core';
 *
 * await runGracefully(async (run) => {
 *   for (let page = 1; page <= 100 && run.isRunning(); page++) {
 *     await fetch(`https://example.com/import?page=${page}`, { method: 'POST' });
 *   }
 * });
 * ```
 *
 * @publicApi
 */
export async function runGracefully<T>(
  fn: (run: RunToken) => T | PromiseLike<T>,
  options: ScriptOptions = {},
): Promise<T> {
  check.knownKeys(options, ['name', 'maxWaitMs', 'shutdown', 'process'], 'runGracefully(options)');
  const { name, maxWaitMs, shutdown: shutdownOptions = {}, process: proc } = options;
  const { clock, logger } = shutdownOptions;
  const workers = new Workers({ maxWaitMs, clock, logger });
  const timeoutMs =
    shutdownOptions.timeoutMs ??
    durationFromEnv('ROOST_TIMEOUT_MS', process.env) ??
    workers.options.maxWaitMs + SPARE_MS;
  const shutdown = new CoordinatedShutdown({ ...shutdownOptions, timeoutMs }, proc);
  registerWorkersTasks(shutdown, workers, 'runGracefully()');
  let failure: { readonly error: unknown } | undefined;
  let hasStopped = false;
  // The caller gets the error too, but possibly not before the process exits.
  shutdown.addTask(Phase.ServiceStop, 'result-of-script', () => {
    if (failure) throw failure.error;
  });
  shutdown.installProcessHooks();
  reportInFlight(() => shutdown.inFlight);
  reportReady();
  const script = async (run: RunToken): Promise<T> => {
    try {
      return await fn(run);
    } catch (error) {
      if (!isNormalEnding(error, run.signal.reason)) failure = { error };
      else if (shutdown.reason && shutdown.options.exit.process !== false) hasStopped = true;
      throw error;
    }
  };
  try {
    return await workers.runGracefully(script, { name: name ?? (fn.name || 'script') });
  } catch (error) {
    // Not an error: the function stopped as requested, and the process is about to exit.
    if (hasStopped) return await new Promise<never>(() => undefined);
    throw error;
  } finally {
    // After a shutdown has begun, it ends the process and removes its hooks.
    if (!shutdown.reason) shutdown.removeProcessHooks();
  }
}
