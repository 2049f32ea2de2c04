import type { ActorOptions } from '../props.js';
import type { ActorCell } from './actor-cell.js';
import { CallbackAlarm } from '../timing/alarm-clock.js';

/** The option `throttle` of an actor. */
export type ThrottleOptions = NonNullable<ActorOptions['throttle']>;

/** Lets at most `messages` pass in any period of `perMs`, wherever the period begins. */
export class Throttle {
  private readonly times: Float64Array;
  private oldest = 0;

  constructor(private readonly options: ThrottleOptions) {
    this.times = new Float64Array(options.messages).fill(-Infinity);
  }

  /** 0 when one may pass now, which is then taken note of; otherwise how many ms until one may. */
  admit(now: number): number {
    const waitMs = this.times[this.oldest]! + this.options.perMs - now;
    if (waitMs > 0) return waitMs;
    this.times[this.oldest] = now;
    this.oldest = (this.oldest + 1) % this.times.length;
    return 0;
  }
}

/** Whether the next message of the actor may be handled now. If not, the actor is woken when it may. */
export function mayPass(cell: ActorCell, options: ThrottleOptions): boolean {
  const extras = cell.needExtras();
  extras.throttle ??= {
    gate: new Throttle(options),
    alarm: new CallbackAlarm(() => {
      if (cell.hasMore) cell.wake();
    }),
  };
  const { gate, alarm } = extras.throttle;
  if (alarm.pending) return false;
  const { alarms } = cell.system;
  const waitMs = gate.admit(alarms.clock.monotonic());
  if (waitMs > 0) alarms.set(alarm, waitMs);
  return waitMs <= 0;
}

/** Whether all that the actor has to do is messages that must wait. */
export const isThrottled = ({ work, extras }: ActorCell): boolean =>
  work === null && extras?.throttle?.alarm.pending === true;
