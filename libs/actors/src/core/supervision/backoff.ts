import { check } from '../option-checks.js';

/** @publicApi */
export interface BackoffOptions {
  /** Delay before the first restart. @default 200 */
  minMs?: number;
  /** The longest delay. @default 30_000 */
  maxMs?: number;
  /** Each delay is this many times the one before. @default 2 */
  factor?: number;
  /** How much of a delay is left to chance, 0 to 1: with 0.2 a delay is shortened by up to a fifth. @default 0.2 */
  jitter?: number;
  /** An actor that has run for this long since its last restart begins with `minMs` again. @default `maxMs` */
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
