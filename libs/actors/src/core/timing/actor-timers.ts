import type { ActorCell } from '../cell/actor-cell.js';
import { check } from '../option-checks.js';
import { Alarm } from './alarm-clock.js';
import { nextTick } from './scheduler.js';

/** Identifies a timer within its actor. @publicApi */
export type TimerKey = string | number | symbol | object;

/**
 * The timers of an actor. Each sends a message to the actor.
 *
 * Setting a timer with a key in use replaces that timer. A replaced or cancelled timer delivers nothing more, even if
 * its message is already in the mailbox. All timers end when the actor stops or restarts. A timer's message always fits
 * into a bounded mailbox, and a repeating timer has at most one message waiting.
 *
 * @example
 * ```ts
 * import { Behavior } from '@roost/actors';
 *
 * export const heartbeat = Behavior.setup<'beat'>((ctx) => {
 *   ctx.timers.fixedRate('beat', 'beat', 1_000);
 *   return Behavior.receive<'beat'>((context) => context.log.debug('beat'));
 * });
 * ```
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

  /** Sends `message` repeatedly, each time `delayMs` after the previous one was handled. */
  fixedDelay(key: TimerKey, message: M, delayMs: number, initialDelayMs: number = delayMs): void {
    check.timeout(delayMs, 'timers.fixedDelay(delayMs)');
    check.number(initialDelayMs, 'timers.fixedDelay(initialDelayMs)', { least: 0 });
    this.#set(new ActorTimer(this.#cell, this.#timers, key, message, 'delay', delayMs), initialDelayMs);
  }

  /** Sends `message` every `periodMs`. Ticks that the actor or the process is too slow for are skipped. */
  fixedRate(key: TimerKey, message: M, periodMs: number, initialDelayMs: number = periodMs): void {
    check.timeout(periodMs, 'timers.fixedRate(periodMs)');
    check.number(initialDelayMs, 'timers.fixedRate(initialDelayMs)', { least: 0 });
    this.#set(new ActorTimer(this.#cell, this.#timers, key, message, 'rate', periodMs), initialDelayMs);
  }

  /** Whether the timer is set or its message is waiting. */
  isActive(key: TimerKey): boolean {
    return this.#timers.has(key);
  }

  /** Cancels the timer, if there is one. */
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

/** A timer. It is stored with its message in the mailbox, in place of a reply address. */
export class ActorTimer extends Alarm {
  /** Whether its message is in the mailbox. */
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

  /** Called when the actor takes the message from the mailbox. Returns false if the timer was cancelled or replaced. */
  claim(): boolean {
    this.waiting = false;
    if (!this.active) return false;
    if (this.kind === 'once') this.cancel();
    return true;
  }

  /** Called when the handler of its message has settled. */
  handled(): void {
    if (this.active && this.kind === 'delay') this.cell.system.alarms.set(this, this.periodMs);
  }

  cancel(): void {
    this.active = false;
    this.cell.system.alarms.cancel(this);
    if (this.timers.get(this.key) === this) this.timers.delete(this.key);
  }
}
