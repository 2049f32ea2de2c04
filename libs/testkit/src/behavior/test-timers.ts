import type { TimerKey } from '@roost/actors/core';
import { check } from '@roost/actors/internal';
import { type Effect, TimerCancelled, type TimerKind, TimerScheduled } from './effects.js';

/** Replaces `ActorTimers`: records timers as effects. They never fire. A spec keeps the two APIs in step. */
export class TestTimers<M> {
  readonly #active = new Set<TimerKey>();

  constructor(private readonly note: (effect: Effect) => void) {}

  once(key: TimerKey, message: M, delayMs: number): void {
    check.number(delayMs, 'timers.once(delayMs)', { least: 0 });
    this.#set('once', key, message, delayMs, delayMs);
  }

  fixedDelay(key: TimerKey, message: M, delayMs: number, initialDelayMs: number = delayMs): void {
    check.timeout(delayMs, 'timers.fixedDelay(delayMs)');
    check.number(initialDelayMs, 'timers.fixedDelay(initialDelayMs)', { least: 0 });
    this.#set('fixedDelay', key, message, delayMs, initialDelayMs);
  }

  fixedRate(key: TimerKey, message: M, periodMs: number, initialDelayMs: number = periodMs): void {
    check.timeout(periodMs, 'timers.fixedRate(periodMs)');
    check.number(initialDelayMs, 'timers.fixedRate(initialDelayMs)', { least: 0 });
    this.#set('fixedRate', key, message, periodMs, initialDelayMs);
  }

  isActive(key: TimerKey): boolean {
    return this.#active.has(key);
  }

  cancel(key: TimerKey): void {
    if (this.#active.delete(key)) this.note(new TimerCancelled(key));
  }

  cancelAll(): void {
    for (const key of this.#active) this.cancel(key);
  }

  #set(kind: TimerKind, key: TimerKey, message: M, delayMs: number, initialDelayMs: number): void {
    this.#active.add(key);
    this.note(new TimerScheduled(kind, key, message, delayMs, initialDelayMs));
  }
}
