import { performance } from 'node:perf_hooks';
// Not the globals, which a test runner's fake timers may have replaced.
import { setImmediate, setTimeout } from 'node:timers';
import type { ActorDescription, ActorSystem } from '@roost/actors/core';
import { internalsOf } from '@roost/actors/internal';
import type { ManualClock } from '@roost/time/testing';
import { HandlersNotFinishedError } from './errors/handlers-not-finished.error.js';
import { KitAlreadyMovingError } from './errors/kit-already-moving.error.js';
import { NotSettledError } from './errors/not-settled.error.js';
import type { KitLimits } from './kit-options.js';
import { showList } from './show.js';

/** How long something may take, and how it is called in errors. */
export interface Patience {
  readonly what: string;
  readonly withinMs: number;
  readonly realTimeoutMs: number;
}

/** An immediate runs once the microtask queue is empty, however long the chains in it are. */
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
const realMillisecond = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 1));

/** What moves a clock right now. Several kits may be on one clock. */
const moving = new WeakMap<ManualClock, string>();

/**
 * Moves the time of a system and knows when its actors have come to rest.
 *
 * At rest means: the microtask queue is empty, no actor is waiting for its turn, and no timer is due. From there on
 * nothing in this process goes on by itself, except what comes back from outside: I/O, real timers, the test.
 */
export class KitTime {
  constructor(
    private readonly system: ActorSystem,
    private readonly clock: ManualClock,
    private readonly limits: Required<KitLimits>,
  ) {}

  async settle(): Promise<void> {
    const errors: unknown[] = [];
    await this.rest(errors);
    rethrowFirst(errors);
  }

  /** What user code throws in a timer of the clock is thrown when time has reached its end, as `ManualClock` does. */
  async advance(ms: number, what = 'kit.advance()'): Promise<void> {
    await this.move({ what, withinMs: ms, realTimeoutMs: 0 }, () => false);
  }

  /**
   * Comes to rest, then moves from timer to timer until `isDone`, at most by `withinMs`; then waits in real time for
   * handlers that have not settled, as long as there are any.
   */
  async waitUntil(isDone: () => boolean, patience: Patience): Promise<boolean> {
    if (await this.move(patience, isDone)) return true;
    const deadline = performance.now() + patience.realTimeoutMs;
    while (this.isUnfinished && performance.now() < deadline) {
      await realMillisecond();
      await this.settle();
      if (isDone()) return true;
    }
    return false;
  }

  /** Waits in real time until every handler and every promise of `pipeToSelf` has settled. */
  async finishHandlers(timeoutMs: number): Promise<void> {
    const deadline = performance.now() + timeoutMs;
    await this.settle();
    while (this.isUnfinished) {
      if (performance.now() >= deadline) throw new HandlersNotFinishedError(timeoutMs, this.unfinished.join(', '));
      await realMillisecond();
      await this.settle();
    }
  }

  /** What has not settled, in words. */
  get unfinished(): string[] {
    const { awaiting, openPipes } = internalsOf(this.system).activity();
    const handlers = awaiting.map(({ path, handling }) => `${path} (${handling})`);
    return openPipes > 0 ? [...handlers, `${openPipes} pipeToSelf promise(s)`] : handlers;
  }

  private get isUnfinished(): boolean {
    const { awaiting, openPipes } = internalsOf(this.system).activity();
    return awaiting.length > 0 || openPipes > 0;
  }

  private async move({ what, withinMs }: Patience, isDone: () => boolean): Promise<boolean> {
    if (withinMs > 0) this.begin(what);
    const end = this.clock.monotonic() + withinMs;
    const errors: unknown[] = [];
    try {
      for (;;) {
        await this.rest(errors);
        if (isDone()) break;
        if (!this.hasTimerBy(end)) {
          collect(errors, () => this.clock.advance(Math.max(0, end - this.clock.monotonic())));
          break;
        }
        collect(errors, () => this.clock.runNext());
      }
    } finally {
      if (withinMs > 0) moving.delete(this.clock);
    }
    rethrowFirst(errors);
    return isDone();
  }

  private async rest(errors: unknown[]): Promise<void> {
    const started = performance.now();
    for (;;) {
      await turn();
      const atRest = internalsOf(this.system).dispatcher.isIdle;
      if (atRest && !this.hasTimerBy(this.clock.monotonic())) return;
      if (performance.now() - started > this.limits.settleTimeoutMs) throw this.notSettled();
      if (atRest) collect(errors, () => this.clock.runNext());
    }
  }

  private begin(what: string): void {
    const running = moving.get(this.clock);
    if (running !== undefined) throw new KitAlreadyMovingError(what, running);
    moving.set(this.clock, what);
  }

  private hasTimerBy(end: number): boolean {
    const { nextTimerInMs } = this.clock;
    return nextTimerInMs !== undefined && nextTimerInMs <= end - this.clock.monotonic();
  }

  private notSettled(): NotSettledError {
    const busy = busyIn(this.system.describe());
    return new NotSettledError(
      this.limits.settleTimeoutMs,
      busy.length > 0 ? showList(busy, String) : 'no mailbox has messages waiting',
    );
  }
}

function rethrowFirst(errors: unknown[]): void {
  if (errors.length > 0) throw errors[0];
}

function collect(errors: unknown[], run: () => void): void {
  try {
    run();
  } catch (error) {
    errors.push(error);
  }
}

const busyIn = ({ path, mailbox, children }: ActorDescription): string[] => {
  const own = mailbox > 0 ? [`${path} (${mailbox} waiting)`] : [];
  return [...own, ...children.flatMap(busyIn)];
};
