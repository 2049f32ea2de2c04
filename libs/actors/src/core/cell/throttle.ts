import type { ActorOptions } from '../props.js';
import type { ActorCell } from './actor-cell.js';
import { CallbackAlarm } from '../timing/alarm-clock.js';

/** The option `throttle` of an actor. */
export type ThrottleOptions = NonNullable<ActorOptions['throttle']>;

/** Admits at most `messages` in any period of `perMs` (a sliding window). */
export class Throttle {
  private readonly times: Float64Array;
  private oldest = 0;

  constructor(private readonly options: ThrottleOptions) {
    this.times = new Float64Array(options.messages).fill(-Infinity);
  }

  /** Returns 0 and counts a message if one may pass now. Otherwise returns the time until one may, in ms. */
  admit(now: number): number {
    const waitMs = this.times[this.oldest]! + this.options.perMs - now;
    if (waitMs > 0) return waitMs;
    this.times[this.oldest] = now;
    this.oldest = (this.oldest + 1) % this.times.length;
    return 0;
  }
}

/** Returns whether the next message may be handled now. If not, wakes the actor when it may. */
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

/** Whether the actor has nothing to do but wait for its throttle. */
export const isThrottled = ({ work, extras }: ActorCell): boolean =>
  work === null && extras?.throttle?.alarm.pending === true;
