import type { ActorCell } from '../cell/actor-cell.js';
import { check } from '../option-checks.js';
import { Alarm } from './alarm-clock.js';
import { nextTick } from './scheduler.js';

/** Names a timer within its actor. @publicApi */
export type TimerKey = string | number | symbol | object;

/**
 * Timers of an actor: each sends a message to it. Setting a timer with a key that is in use replaces it; after that, or
 * after `cancel`, the old one is not heard of again, not even if its message is waiting in the mailbox. All end with the
 * actor, and with its instance at a restart. A message of a timer always has a place in a bounded mailbox, and a
 * repeating timer has at most one waiting.
 *
 * @publicApi
 */
export class ActorTimers<in M> {
  readonly #cell: ActorCell;
  readonly #timers = new Map<TimerKey, ActorTimer>();

  /** @internal */
  constructor(cell: ActorCell) {
    this.#cell = cell;
  }

  /** Sends `message` once, after `delayMs`. */
  once(key: TimerKey, message: M, delayMs: number): void {
    check.number(delayMs, 'timers.once(delayMs)', { least: 0 });
    this.#set(new ActorTimer(this.#cell, this.#timers, key, message, 'once', 0), delayMs);
  }

  /** Sends `message` again and again, `delayMs` after it was last handled. */
  fixedDelay(key: TimerKey, message: M, delayMs: number, initialDelayMs: number = delayMs): void {
    check.timeout(delayMs, 'timers.fixedDelay(delayMs)');
    check.number(initialDelayMs, 'timers.fixedDelay(initialDelayMs)', { least: 0 });
    this.#set(new ActorTimer(this.#cell, this.#timers, key, message, 'delay', delayMs), initialDelayMs);
  }

  /** Sends `message` every `periodMs`. What the actor or the process is too slow for is left out, not made up for. */
  fixedRate(key: TimerKey, message: M, periodMs: number, initialDelayMs: number = periodMs): void {
    check.timeout(periodMs, 'timers.fixedRate(periodMs)');
    check.number(initialDelayMs, 'timers.fixedRate(initialDelayMs)', { least: 0 });
    this.#set(new ActorTimer(this.#cell, this.#timers, key, message, 'rate', periodMs), initialDelayMs);
  }

  /** Whether there is such a timer, or its message is waiting. */
  isActive(key: TimerKey): boolean {
    return this.#timers.has(key);
  }

  /** Does nothing when there is none. */
  cancel(key: TimerKey): void {
    this.#timers.get(key)?.cancel();
  }

  cancelAll(): void {
    for (const timer of this.#timers.values()) timer.cancel();
  }

  #set(timer: ActorTimer, delayMs: number): void {
    this.cancel(timer.key);
    this.#timers.set(timer.key, timer);
    this.#cell.system.alarms.set(timer, delayMs);
  }
}

/** A timer, and what stands beside its message in the mailbox. */
export class ActorTimer extends Alarm {
  /** Its message is in the mailbox. */
  private waiting = false;
  private active = true;

  constructor(
    private readonly cell: ActorCell,
    private readonly timers: Map<TimerKey, ActorTimer>,
    readonly key: TimerKey,
    readonly message: unknown,
    private readonly kind: 'once' | 'delay' | 'rate',
    private readonly periodMs: number,
  ) {
    super();
  }

  ring(): void {
    const { alarms } = this.cell.system;
    if (this.kind === 'rate') alarms.setAt(this, nextTick(this.dueAt!, this.periodMs, alarms.clock.monotonic()));
    if (this.waiting) return;
    this.waiting = true;
    this.cell.pushInternal(this.message, this);
  }

  /** The actor has come to its message. False when that is of a timer that was cancelled or replaced. */
  claim(): boolean {
    this.waiting = false;
    if (!this.active) return false;
    if (this.kind === 'once') this.cancel();
    return true;
  }

  /** The handler of its message has settled. */
  handled(): void {
    if (this.active && this.kind === 'delay') this.cell.system.alarms.set(this, this.periodMs);
  }

  cancel(): void {
    this.active = false;
    this.cell.system.alarms.cancel(this);
    if (this.timers.get(this.key) === this) this.timers.delete(this.key);
  }
}
