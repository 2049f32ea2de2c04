import { check } from '../option-checks.js';
import { assertSignals, DEFAULT_SHUTDOWN_OPTIONS } from '../options.js';
import { ProcessHub } from './process-hub.js';
import type { ProcessLike } from './process-like.js';

/** @publicApi */
export interface EarlySignalOptions {
  /** @default ['SIGTERM', 'SIGINT'] */
  signals?: readonly NodeJS.Signals[];
  /** The process exits (128 + signal) when nobody has taken the signal over by then. @default 30_000 */
  bootTimeoutMs?: number;
  /** @default `process` */
  process?: ProcessLike;
}

/**
 * From now on a signal does not kill the process: it is remembered until the application is up, which then shuts
 * down in order and exits 0 without ever having listened. A second SIGINT still exits at once with 130.
 * Calling it twice, or when an application is already up, does nothing.
 *
 * `import '@roost/shutdown/early'` as the first line of main.ts does this; `node --import @roost/shutdown/early`
 * covers the loading of the modules too.
 *
 * @publicApi
 */
export function captureEarlySignals(options: EarlySignalOptions = {}): void {
  check.knownKeys(options, ['signals', 'bootTimeoutMs', 'process'], 'captureEarlySignals');
  const {
    signals,
    bootTimeoutMs,
    process: proc = process,
  } = { ...DEFAULT_SHUTDOWN_OPTIONS, process: undefined, ...options };
  assertSignals(signals);
  check.timeout(bootTimeoutMs, 'bootTimeoutMs');
  ProcessHub.of(proc).captureEarly(signals, bootTimeoutMs);
}
