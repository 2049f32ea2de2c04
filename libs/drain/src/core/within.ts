import type { Clock } from '@roost/time';

/** Whether the promise settled within the time. It leaves no timer behind; the promise must not reject. */
export function within(clock: Clock, ms: number, promise: Promise<unknown>): Promise<boolean> {
  return new Promise((resolve) => {
    const timer = clock.setTimer(Math.max(0, ms), () => resolve(false));
    void promise.then(() => {
      timer.cancel();
      resolve(true);
    });
  });
}
