import { check } from '../option-checks.js';

/** Delays between restarts. @publicApi */
export interface BackoffOptions {
  /** Delay before the first restart, in ms. @default 200 */
  minMs?: number;
  /** Longest delay, in ms. @default 30_000 */
  maxMs?: number;
  /** Factor by which each delay grows. @default 2 */
  factor?: number;
  /** Random share of a delay, from 0 to 1: with 0.2 a delay is shortened by up to a fifth. @default 0.2 */
  jitter?: number;
  /** Time without a failure after a restart until the delay starts at `minMs` again, in ms. @default `maxMs` */
  resetAfterMs?: number;
}

export type Backoff = Readonly<Required<BackoffOptions>>;

export function resolveBackoff(options: BackoffOptions, where: string): Backoff {
  check.knownKeys(options, ['minMs', 'maxMs', 'factor', 'jitter', 'resetAfterMs'], where);
  const { minMs = 200, maxMs = 30_000, factor = 2, jitter = 0.2, resetAfterMs = maxMs } = options;
  check.number(minMs, `${where}.minMs`, { above: 0 });
  check.number(maxMs, `${where}.maxMs`, { least: minMs });
  check.number(factor, `${where}.factor`, { least: 1 });
  check.number(jitter, `${where}.jitter`, { least: 0, most: 1 });
  check.number(resetAfterMs, `${where}.resetAfterMs`, { least: 0 });
  return { minMs, maxMs, factor, jitter, resetAfterMs };
}

/** @param attempt 0 for the first restart in a row */
export function backoffDelayMs(
  { minMs, maxMs, factor, jitter }: Backoff,
  attempt: number,
  random: () => number,
): number {
  const delayMs = Math.min(maxMs, minMs * factor ** attempt);
  return delayMs * (1 - jitter * random());
}
