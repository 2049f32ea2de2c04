import { InvalidActorOptionError, type TimerKey } from '@roost/actors/core';
import { assertTimeoutMs } from '@roost/time';
import { type Effect, TimerCancelled, type TimerKind, TimerScheduled } from './effects.js';

/** Stands in for `ActorTimers`: notes what is set and cancelled. Nothing ever rings. A spec keeps the two in step. */
export class TestTimers<M> {
  readonly #active = new Set<TimerKey>();

  constructor(private readonly note: (effect: Effect) => void) {}

  once(key: TimerKey, message: M, delayMs: number): void {
    assertDelay(delayMs, 'timers.once(delayMs)');
    this.#set('once', key, message, delayMs, delayMs);
  }

  fixedDelay(key: TimerKey, message: M, delayMs: number, initialDelayMs: number = delayMs): void {
    assertPeriod(delayMs, 'timers.fixedDelay(delayMs)');
    assertDelay(initialDelayMs, 'timers.fixedDelay(initialDelayMs)');
    this.#set('fixedDelay', key, message, delayMs, initialDelayMs);
  }

  fixedRate(key: TimerKey, message: M, periodMs: number, initialDelayMs: number = periodMs): void {
    assertPeriod(periodMs, 'timers.fixedRate(periodMs)');
    assertDelay(initialDelayMs, 'timers.fixedRate(initialDelayMs)');
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

function assertDelay(value: unknown, option: string): void {
  if (typeof value === 'number' && Number.isFinite(value) && value >= 0) return;
  throw new InvalidActorOptionError(option, value, 'a number >= 0');
}

/** @throws InvalidActorOptionError unless a timer can wait for it */
export function assertPeriod(value: unknown, option: string): void {
  try {
    assertTimeoutMs(value, option);
  } catch {
    throw new InvalidActorOptionError(option, value, 'a number of milliseconds > 0 and < 2^31');
  }
}
