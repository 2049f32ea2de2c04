// Not the global, because the fake timers of a test runner may have replaced it.
import { setImmediate } from 'node:timers';
import type { Clock, Timer } from '../clock.js';
import { assertDuration } from '../duration.js';
import { InvalidDurationError } from '../errors/invalid-duration.error.js';
import { RunawayTimersError } from '../errors/runaway-timers.error.js';
import { TimeAlreadyMovingError } from '../errors/time-already-moving.error.js';
import { check } from '../option-checks.js';
import { TimerQueue } from './timer-queue.js';

const MAX_RUNS_AT_ONE_INSTANT = 1_000_000;

/** @publicApi */
export interface ManualClockOptions {
  /** Initial wall-clock time, in ms. @default 0 */
  now?: number;
}

/**
 * A `Clock` for tests: time stands still until the test moves it. `monotonic()` starts at 0.
 *
 * Timers run in order of due time, and in order of creation if they are due at the same instant. A callback sees
 * `now()` and `monotonic()` at its own due time, and a timer it sets runs in the same move if it is due within that
 * move. If a callback throws, the other due timers still run and time still reaches the end; then the first error is
 * rethrown.
 *
 * Only one move may run at a time: calling `advance`, `runNext` or their async forms from a timer callback, or before
 * an async move has finished, throws `TIME_ALREADY_MOVING`. A million timers at one instant throw
 * `TIME_RUNAWAY_TIMERS`, because a callback that re-arms itself with 0 ms would hang the test.
 *
 * Whole ms are exact. Fractions add up like floating-point numbers: ten moves of 0.1 ms end just short of 1 ms.
 *
 * @example
 * ```ts
 * import { sleep } from '@roost/time';
 * import { ManualClock } from '@roost/time/testing';
 *
 * const clock = new ManualClock();
 * const slept = sleep(60_000, { clock });
 * await clock.advanceAsync(60_000);
 * await slept; // returns at once
 * ```
 *
 * @publicApi
 */
export class ManualClock implements Clock {
  private readonly timers = new TimerQueue();
  private wallOffsetMs: number;
  private elapsedMs = 0;
  private runsAtThisInstant = 0;
  private running: string | undefined;

  constructor(options: ManualClockOptions = {}) {
    check.knownKeys(options, ['now'], 'ManualClock');
    const { now = 0 } = options;
    assertFinite(now, 'new ManualClock({ now })');
    this.wallOffsetMs = now;
  }

  now(): number {
    return this.wallOffsetMs + this.elapsedMs;
  }

  monotonic(): number {
    return this.elapsedMs;
  }

  setTimer(delayMs: number, callback: () => void): Timer {
    assertDuration(delayMs, 'setTimer(delayMs)');
    return this.timers.add(this.elapsedMs + delayMs, callback);
  }

  /** Number of timers that have neither fired nor been cancelled. */
  get pendingTimers(): number {
    return this.timers.size;
  }

  /** Milliseconds until the next timer is due, or `undefined` if none is pending. */
  get nextTimerInMs(): number | undefined {
    const next = this.timers.peek();
    return next && next.dueAt - this.elapsedMs;
  }

  /**
   * Moves time by `ms` and runs every timer due by then, all before it returns. `advance(0)` runs timers that are due
   * now. Code that awaits a promise does not run in between; use `advanceAsync` for that.
   */
  advance(ms: number): void {
    assertDuration(ms, 'ManualClock.advance(ms)');
    this.begin('advance');
    const errors: unknown[] = [];
    try {
      const end = this.elapsedMs + ms;
      while (this.hasTimerDueBy(end)) this.runEarliest(errors);
      this.elapsedMs = end;
    } finally {
      this.running = undefined;
    }
    rethrowFirst(errors);
  }

  /**
   * Like `advance`, but runs all queued promise continuations before the first timer and after each one. If that code
   * sets another timer that is due by the end, the timer runs, too.
   */
  async advanceAsync(ms: number): Promise<void> {
    assertDuration(ms, 'ManualClock.advanceAsync(ms)');
    this.begin('advanceAsync');
    const errors: unknown[] = [];
    try {
      const end = this.elapsedMs + ms;
      await flushMicrotasks();
      while (this.hasTimerDueBy(end)) {
        this.runEarliest(errors);
        await flushMicrotasks();
      }
      this.elapsedMs = end;
    } finally {
      this.running = undefined;
    }
    rethrowFirst(errors);
  }

  /**
   * Jumps to the next timer and runs only that one, even if others are due at the same instant, so that a test can look
   * between the two. `while (clock.runNext());` runs them all.
   *
   * @returns false, without moving time, if no timer is pending.
   */
  runNext(): boolean {
    this.begin('runNext');
    const errors: unknown[] = [];
    let ran: boolean;
    try {
      ran = this.runEarliest(errors);
    } finally {
      this.running = undefined;
    }
    rethrowFirst(errors);
    return ran;
  }

  /** Like `runNext`, but runs all queued promise continuations before and after the timer. */
  async runNextAsync(): Promise<boolean> {
    this.begin('runNextAsync');
    const errors: unknown[] = [];
    let ran: boolean;
    try {
      await flushMicrotasks();
      ran = this.runEarliest(errors);
      await flushMicrotasks();
    } finally {
      this.running = undefined;
    }
    rethrowFirst(errors);
    return ran;
  }

  /** Changes `now()` by `ms`, forward or back, like a clock correction. Does not affect `monotonic()` or timers. */
  jumpWall(ms: number): void {
    assertFinite(ms, 'ManualClock.jumpWall(ms)');
    this.wallOffsetMs += ms;
  }

  private begin(move: string): void {
    if (this.running !== undefined) throw new TimeAlreadyMovingError(move, this.running);
    this.running = move;
  }

  private hasTimerDueBy(end: number): boolean {
    const next = this.timers.peek();
    return next !== undefined && next.dueAt <= end;
  }

  private runEarliest(errors: unknown[]): boolean {
    const timer = this.timers.peek();
    if (timer === undefined) return false;

    if (timer.dueAt > this.elapsedMs) this.runsAtThisInstant = 0;
    if (this.runsAtThisInstant === MAX_RUNS_AT_ONE_INSTANT) {
      throw new RunawayTimersError(MAX_RUNS_AT_ONE_INSTANT, this.elapsedMs);
    }
    this.runsAtThisInstant++;

    this.timers.remove(timer);
    this.elapsedMs = timer.dueAt;
    try {
      timer.callback();
    } catch (error) {
      errors.push(error);
    }
    return true;
  }
}

/** An immediate runs once the microtask queue is empty, no matter how long the promise chains are. */
function flushMicrotasks(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

function rethrowFirst(errors: unknown[]): void {
  if (errors.length > 0) throw errors[0];
}

function assertFinite(value: unknown, option: string): asserts value is number {
  if (typeof value === 'number' && Number.isFinite(value)) return;
  throw new InvalidDurationError(option, value, 'a finite number', 'Write a number of milliseconds.');
}
