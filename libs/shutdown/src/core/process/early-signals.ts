import { check } from '../option-checks.js';
import { assertSignals, DEFAULT_SHUTDOWN_OPTIONS } from '../options.js';
import { ProcessHub } from './process-hub.js';
import type { ProcessLike } from './process-like.js';

/** @publicApi */
export interface EarlySignalOptions {
  /** @default ['SIGTERM', 'SIGINT'] */
  signals?: readonly NodeJS.Signals[];
  /**
   * Limit in ms. If no application has taken over the signal by then, the process exits with 128 + signal. @default
   * 30_000
   */
  bootTimeoutMs?: number;
  /** @default `process` */
  process?: ProcessLike;
}

/**
 * Keeps a signal from killing the process before the application has started. The signal is remembered; once the
 * application is up, it shuts down in order and exits 0 without ever listening. A second SIGINT still exits at once
 * with 130. Calling it twice, or after an application has started, does nothing.
 *
 * `import '@roost/shutdown/early'` as the first line of main.ts does the same. `node --import @roost/shutdown/early`
 * also covers the time in which modules are loaded.
 *
 * @example
 * ```ts
 * import { captureEarlySignals } from '@roost/shutdown/core';
 *
 * captureEarlySignals({ signals: ['SIGTERM', 'SIGINT', 'SIGHUP'], bootTimeoutMs: 60_000 });
 * ```
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
