import { type RoostLogger, stackOf } from '@roost/kernel';
import { check } from '../option-checks.js';
import { type AlarmClock, CallbackAlarm } from './alarm-clock.js';

/** A scheduled call that can be cancelled. @publicApi */
export interface Cancellable {
  /** Prevents further calls. Calling it again has no effect. */
  cancel(): void;
}

/**
 * Calls functions later, on the system's clock. Pending calls are dropped when the system stops. Inside an actor, use
 * `ctx.timers` instead, which stop with the actor.
 *
 * @example
 * ```ts
 * import { ActorSystem } from '@roost/actors';
 *
 * const system = new ActorSystem();
 * const tick = system.scheduler.every(1_000, () => console.log(system.deadLetterCount));
 * tick.cancel();
 * ```
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

  /** Calls `task` once, after `delayMs`. Errors that it throws are logged. */
  once(delayMs: number, task: () => void): Cancellable {
    check.number(delayMs, 'scheduler.once(delayMs)', { least: 0 });
    const alarm = new CallbackAlarm(() => this.#run(task));
    this.#alarms.set(alarm, delayMs);
    return { cancel: () => this.#alarms.cancel(alarm) };
  }

  /**
   * Calls `task` every `periodMs`, first after one period. Calls that the process is too busy for are skipped. Errors
   * are logged.
   */
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

/** Returns the next tick of a fixed rate that is not in the past. */
export const nextTick = (dueAt: number, periodMs: number, now: number): number =>
  dueAt + periodMs * Math.max(1, Math.ceil((now - dueAt) / periodMs));
