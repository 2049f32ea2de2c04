import type { Clock, Timer } from '../clock.js';

interface NaiveTimer {
  id: number;
  dueAt: number;
  callback: () => void;
}

/**
 * A reference for `ManualClock`, written to be obviously correct: it searches the whole list for the next timer each
 * time.
 */
export class NaiveClock implements Clock {
  private time = 0;
  private nextId = 0;
  private timers: NaiveTimer[] = [];

  now(): number {
    return this.time;
  }

  monotonic(): number {
    return this.time;
  }

  get pendingTimers(): number {
    return this.timers.length;
  }

  setTimer(delayMs: number, callback: () => void): Timer {
    const timer = { id: this.nextId++, dueAt: this.time + delayMs, callback };
    this.timers.push(timer);
    return { cancel: () => this.drop(timer) };
  }

  advance(ms: number): void {
    const end = this.time + ms;
    for (;;) {
      const [next] = this.timers.filter(({ dueAt }) => dueAt <= end).sort((a, b) => a.dueAt - b.dueAt || a.id - b.id);
      if (next === undefined) break;
      this.drop(next);
      this.time = next.dueAt;
      next.callback();
    }
    this.time = end;
  }

  private drop(timer: NaiveTimer): void {
    this.timers = this.timers.filter((other) => other !== timer);
  }
}
