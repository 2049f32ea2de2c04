import { type RoostLogger, stackOf } from '@roost/kernel';
import { check } from '../option-checks.js';
import { type AlarmClock, CallbackAlarm } from './alarm-clock.js';

/** @publicApi */
export interface Cancellable {
  /** After this returns it will not happen any more. Calling it again does nothing. */
  cancel(): void;
}

/**
 * Calls functions later, on the clock of the system. What is waiting when the system ends is forgotten. An actor uses
 * `ctx.timers` instead, which end with it.
 *
 * @publicApi
 */
export class Scheduler {
  readonly #alarms: AlarmClock;
  readonly #logger: RoostLogger;
  readonly #owner: string;

  /** @internal */
  constructor(alarms: AlarmClock, logger: RoostLogger, owner: string) {
    this.#alarms = alarms;
    this.#logger = logger;
    this.#owner = owner;
  }

  /** Calls `task` once, after `delayMs`. What it throws is logged. */
  once(delayMs: number, task: () => void): Cancellable {
    check.number(delayMs, 'scheduler.once(delayMs)', { least: 0 });
    const alarm = new CallbackAlarm(() => this.#run(task));
    this.#alarms.set(alarm, delayMs);
    return { cancel: () => this.#alarms.cancel(alarm) };
  }

  /** Calls `task` every `periodMs`, for the first time after one period. Calls that the process was too busy for are left out. */
  every(periodMs: number, task: () => void): Cancellable {
    check.timeout(periodMs, 'scheduler.every(periodMs)');
    const alarm = new CallbackAlarm(() => {
      this.#alarms.setAt(alarm, nextTick(alarm.dueAt!, periodMs, this.#alarms.clock.monotonic()));
      this.#run(task);
    });
    this.#alarms.set(alarm, periodMs);
    return { cancel: () => this.#alarms.cancel(alarm) };
  }

  #run(task: () => void): void {
    try {
      task();
    } catch (error) {
      this.#logger.error(`a scheduled task threw: ${stackOf(error)}`, this.#owner);
    }
  }
}

/** The next moment of a fixed rate that is not over yet. */
export const nextTick = (dueAt: number, periodMs: number, now: number): number =>
  dueAt + periodMs * Math.max(1, Math.ceil((now - dueAt) / periodMs));
