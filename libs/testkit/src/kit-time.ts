import { performance } from 'node:perf_hooks';
// Imported, because fake timers of a test runner may have replaced the globals.
import { setImmediate, setTimeout } from 'node:timers';
import type { ActorDescription, ActorSystem } from '@roost/actors/core';
import { internalsOf } from '@roost/actors/internal';
import type { ManualClock } from '@roost/time/testing';
import { HandlersNotFinishedError } from './errors/handlers-not-finished.error.js';
import { KitAlreadyMovingError } from './errors/kit-already-moving.error.js';
import { NotSettledError } from './errors/not-settled.error.js';
import type { KitLimits } from './kit-options.js';
import { showList } from './show.js';

/** Limits of a wait, and its name in errors. */
export interface Patience {
  readonly what: string;
  readonly withinMs: number;
  readonly realTimeoutMs: number;
}

/** An immediate runs once the microtask queue is empty, however long its chains are. */
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
const realMillisecond = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 1));

/** The call that is moving each clock. Several kits may share one clock. */
const moving = new WeakMap<ManualClock, string>();

/**
 * Moves the clock of a system, and detects when its actors are idle.
 *
 * Idle means: the microtask queue is empty, no actor is waiting for its turn, and no timer is due. From then on,
 * nothing in this process happens until something arrives from outside: I/O, real timers or the test.
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

  /**
   * Errors that user code throws in a timer of the clock are rethrown at the end of the move, as `ManualClock` does.
   */
  async advance(ms: number, what = 'kit.advance()'): Promise<void> {
    await this.move({ what, withinMs: ms, realTimeoutMs: 0 }, () => false);
  }

  /**
   * Waits until the actors are idle, then moves the clock from timer to timer until `isDone`, by at most `withinMs`.
   * Then waits in real time for unsettled handlers, if there are any.
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

  /** Waits in real time until all handlers and `pipeToSelf` promises have settled. */
  async finishHandlers(timeoutMs: number): Promise<void> {
    const deadline = performance.now() + timeoutMs;
    await this.settle();
    while (this.isUnfinished) {
      if (performance.now() >= deadline) throw new HandlersNotFinishedError(timeoutMs, this.unfinished.join(', '));
      await realMillisecond();
      await this.settle();
    }
  }

  /** Descriptions of handlers and promises that have not settled. */
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
