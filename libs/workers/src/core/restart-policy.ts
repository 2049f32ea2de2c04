import { MAX_TIMEOUT_MS } from '@roost/kernel';
import type { Clock } from '@roost/time';
import { InvalidWorkerOptionError } from './errors/invalid-worker-option.error.js';
import { check } from './option-checks.js';

/** Options of `restartBackoff()`. @publicApi */
export interface RestartBackoffOptions {
  /** Delay in ms before the first restart. @default 200 */
  minMs?: number;
  /** Maximum delay in ms. @default 30_000 */
  maxMs?: number;
  /** Factor by which each delay grows. @default 2 */
  factor?: number;
  /** Random part of each delay, from 0 to 1. With 0.2 a delay is shortened by up to 20 %. @default 0.2 */
  jitter?: number;
  /** Length of a run in ms that resets the delay to `minMs` and the restart count to 0. @default `maxMs` */
  resetAfterMs?: number;
  /** Maximum number of restarts in a row. The next failure is final. @default Infinity */
  maxRestarts?: number;
  /**
   * `'failure'` restarts after an error or an exit code other than 0, `'always'` also after a normal end.
   *
   * @default 'failure'
   */
  when?: 'failure' | 'always';
}

/**
 * Decides whether a worker or child that ends unexpectedly is restarted. Created by `restartBackoff()` or
 * `neverRestart()`.
 *
 * @publicApi
 */
export type RestartPolicy = Readonly<Required<RestartBackoffOptions>>;

const KEYS = ['minMs', 'maxMs', 'factor', 'jitter', 'resetAfterMs', 'maxRestarts', 'when'] as const;

/**
 * Returns a policy that restarts with exponentially growing delays.
 *
 * @example
 * ```ts
 * import { BackgroundProcess, restartBackoff, type RunToken } from '@roost/workers';
 *
 * @BackgroundProcess({ restart: restartBackoff({ minMs: 500, maxMs: 10_000, maxRestarts: 5 }) })
 * export class RatesProcess {
 *   async handle(run: RunToken): Promise<void> {
 *     while (await run.sleep(60_000)) await fetch('https://example.com/rates');
 *   }
 * }
 * ```
 *
 * @throws InvalidWorkerOptionError
 * @publicApi
 */
export const restartBackoff = (options: RestartBackoffOptions = {}): RestartPolicy =>
  resolveBackoff(options, 'restartBackoff()');

/** Returns a policy for which the first failure is final. @publicApi */
export const neverRestart = (): RestartPolicy => restartBackoff({ maxRestarts: 0 });

/** Accepts a complete policy with values that `restartBackoff()` would accept. @throws InvalidWorkerOptionError */
export function assertRestartPolicy(value: unknown, option: string): asserts value is RestartPolicy {
  const isWhole = typeof value === 'object' && value !== null && KEYS.every((key) => key in value);
  if (!isWhole) throw new InvalidWorkerOptionError(option, value, 'restartBackoff({ ... }) or neverRestart()');
  resolveBackoff(value, option);
}

function resolveBackoff(options: RestartBackoffOptions, where: string): RestartPolicy {
  check.knownKeys(options, KEYS, where);
  const { minMs = 200, maxMs = 30_000, factor = 2, jitter = 0.2 } = options;
  const { resetAfterMs = maxMs, maxRestarts = Infinity, when = 'failure' } = options;
  check.number(minMs, `${where}.minMs`, { above: 0, most: MAX_TIMEOUT_MS });
  check.number(maxMs, `${where}.maxMs`, { least: minMs, most: MAX_TIMEOUT_MS });
  check.number(factor, `${where}.factor`, { least: 1 });
  check.number(jitter, `${where}.jitter`, { least: 0, most: 1 });
  check.number(resetAfterMs, `${where}.resetAfterMs`, { least: 0 });
  check.number(maxRestarts, `${where}.maxRestarts`, { least: 0, whole: true, endless: true });
  check.oneOf(when, ['failure', 'always'], `${where}.when`);
  return { minMs, maxMs, factor, jitter, resetAfterMs, maxRestarts, when };
}

/** Number of failures in a row that count as a crash loop. */
const CRASH_LOOP = 3;

/** Counts the failures of one worker or child, and decides on the next restart. */
export class Restarts {
  /** Restarts since startup. */
  total = 0;
  /** Unexpected ends since the last run of at least `resetAfterMs`. */
  inARow = 0;
  #startedAt = 0;

  constructor(
    readonly policy: RestartPolicy,
    private readonly clock: Clock,
    private readonly random: () => number = Math.random,
  ) {}

  get isCrashLoop(): boolean {
    return this.inARow >= CRASH_LOOP;
  }

  started(): void {
    this.#startedAt = this.clock.monotonic();
  }

  /** Records an end. @returns the delay in ms before the next start, or undefined when there is none */
  ended(how: 'failed' | 'returned'): number | undefined {
    const { policy } = this;
    if (this.clock.monotonic() - this.#startedAt >= policy.resetAfterMs) this.inARow = 0;
    if (how === 'returned' && policy.when === 'failure') return undefined;
    this.inARow++;
    if (this.inARow > policy.maxRestarts) return undefined;
    this.total++;
    const delayMs = Math.min(policy.maxMs, policy.minMs * policy.factor ** (this.inARow - 1));
    return delayMs * (1 - policy.jitter * this.random());
  }
}
