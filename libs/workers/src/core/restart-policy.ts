import { MAX_TIMEOUT_MS } from '@roost/kernel';
import type { Clock } from '@roost/time';
import { InvalidWorkerOptionError } from './errors/invalid-worker-option.error.js';
import { check } from './option-checks.js';

/** @publicApi */
export interface RestartBackoffOptions {
  /** Delay before the first restart. @default 200 */
  minMs?: number;
  /** The longest delay. @default 30_000 */
  maxMs?: number;
  /** Each delay is this many times the one before. @default 2 */
  factor?: number;
  /** Random part of each delay, 0 to 1: with 0.2 a delay is shortened by up to a fifth. @default 0.2 */
  jitter?: number;
  /** After a run of this length the next delay is `minMs` again, and restarts are counted from 0. @default `maxMs` */
  resetAfterMs?: number;
  /** After this many restarts in a row the next failure is final. @default Infinity */
  maxRestarts?: number;
  /** `'failure'`: restarted when it throws or exits with a code other than 0. `'always'`: also when it just ends. @default 'failure' */
  when?: 'failure' | 'always';
}

/** Decides on the restart of a worker or child that ends without being asked to. Made by `restartBackoff()` or `neverRestart()`. @publicApi */
export type RestartPolicy = Readonly<Required<RestartBackoffOptions>>;

const KEYS = ['minMs', 'maxMs', 'factor', 'jitter', 'resetAfterMs', 'maxRestarts', 'when'] as const;

/**
 * Restarts with growing delays.
 *
 * @throws InvalidWorkerOptionError
 * @publicApi
 */
export const restartBackoff = (options: RestartBackoffOptions = {}): RestartPolicy =>
  resolveBackoff(options, 'restartBackoff()');

/** The first failure is final. @publicApi */
export const neverRestart = (): RestartPolicy => restartBackoff({ maxRestarts: 0 });

/** @throws InvalidWorkerOptionError unless it is a whole policy, whose parts are as `restartBackoff()` would take them */
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

/** This many failures in a row are a crash loop. */
const CRASH_LOOP = 3;

/** Counts how often one worker or child has failed, and decides what comes next. */
export class Restarts {
  /** Restarts since the start. */
  total = 0;
  /** Unrequested ends since the last run of at least `resetAfterMs`. */
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

  /** Notes an end. @returns the delay before the next start, or undefined when there is none */
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
