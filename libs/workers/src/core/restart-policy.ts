import { type Clock, MAX_TIMEOUT_MS } from '@roost/time';
import { InvalidWorkerOptionError } from './errors/invalid-worker-option.error.js';
import { assertKnownKeys, assertNumber } from './validation.js';

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
  /** One that has run for this long is well again: the next delay is `minMs`, and restarts are counted from 0. @default `maxMs` */
  resetAfterMs?: number;
  /** After so many restarts in a row the next failure is final. @default Infinity */
  maxRestarts?: number;
  /** `'failure'`: restarted when it throws or exits with a code other than 0. `'always'`: also when it just ends. @default 'failure' */
  when?: 'failure' | 'always';
}

/** What becomes of a process that has ended without being asked to. Made by `exponentialBackoff()` or `neverRestart()`. @publicApi */
export type RestartPolicy = Readonly<Required<BackoffOptions>>;

const KEYS = ['minMs', 'maxMs', 'factor', 'jitter', 'resetAfterMs', 'maxRestarts', 'when'] as const;

/**
 * Restarts with growing delays.
 *
 * @throws InvalidWorkerOptionError
 * @publicApi
 */
export function exponentialBackoff(options: BackoffOptions = {}): RestartPolicy {
  const where = 'exponentialBackoff()';
  assertKnownKeys(options, KEYS, where);
  const { minMs = 200, maxMs = 30_000, factor = 2, jitter = 0.2 } = options;
  const { resetAfterMs = maxMs, maxRestarts = Infinity, when = 'failure' } = options;
  assertNumber(minMs, `${where}.minMs`, { above: 0, most: MAX_TIMEOUT_MS });
  assertNumber(maxMs, `${where}.maxMs`, { least: minMs, most: MAX_TIMEOUT_MS });
  assertNumber(factor, `${where}.factor`, { least: 1 });
  assertNumber(jitter, `${where}.jitter`, { least: 0, most: 1 });
  assertNumber(resetAfterMs, `${where}.resetAfterMs`, { least: 0 });
  assertNumber(maxRestarts, `${where}.maxRestarts`, { least: 0, whole: true, endless: true });
  if (when !== 'failure' && when !== 'always') {
    throw new InvalidWorkerOptionError(`${where}.when`, when, "'failure' or 'always'");
  }
  return { minMs, maxMs, factor, jitter, resetAfterMs, maxRestarts, when };
}

/** The first failure is final. @publicApi */
export const neverRestart = (): RestartPolicy => exponentialBackoff({ maxRestarts: 0 });

/** @throws InvalidWorkerOptionError unless one of the functions here has made it */
export function assertRestartPolicy(value: unknown, option: string): asserts value is RestartPolicy {
  const isPolicy = typeof value === 'object' && value !== null && KEYS.every((key) => key in value);
  if (!isPolicy) throw new InvalidWorkerOptionError(option, value, 'exponentialBackoff({ ... }) or neverRestart()');
}

/** From so many failures in a row on it is called a crash loop. */
const CRASH_LOOP = 3;

/** Counts how often one process has failed and says what comes next. */
export class Restarts {
  /** Since the start. */
  total = 0;
  /** Ends that were not asked for, since it last was well. */
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

  /** It has ended. The delay before it is to be started again, or nothing if it is not. */
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
