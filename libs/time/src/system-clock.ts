import type { Clock, Timer } from './clock.js';
import { assertDuration } from './duration.js';
import { MAX_TIMEOUT_MS } from '@roost/kernel';

/**
 * The real time of this process: `Date.now`, `performance.now` and `setTimeout`.
 *
 * A pending timer keeps the process alive, so cancel timers you no longer need. Delays beyond `MAX_TIMEOUT_MS` are
 * split into several steps. An error thrown by a callback is an `uncaughtException`, as with `setTimeout`.
 *
 * @publicApi
 */
export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  setTimer(delayMs, callback) {
    assertDuration(delayMs, 'setTimer(delayMs)');
    return new SystemTimer(performance.now() + delayMs, callback);
  },
};

class SystemTimer implements Timer {
  private handle: NodeJS.Timeout;

  constructor(
    private readonly dueAt: number,
    private readonly callback: () => void,
  ) {
    this.handle = this.wait();
  }

  cancel(): void {
    clearTimeout(this.handle);
  }

  private wait(): NodeJS.Timeout {
    // Rounded up, because setTimeout drops fractions and would wake too early and have to wait twice.
    const stepMs = Math.min(Math.ceil(this.dueAt - performance.now()), MAX_TIMEOUT_MS);
    return setTimeout(() => this.wake(), stepMs);
  }

  private wake(): void {
    // Not due yet after a capped step, or because setTimeout counts whole ms and may be a fraction early.
    if (performance.now() < this.dueAt) this.handle = this.wait();
    else this.callback();
  }
}
