import type { Clock } from '@roost/time';

/** What the promise resolves to, if it does so in time. It leaves no timer behind; the promise must not reject. */
export function within<T>(clock: Clock, ms: number, promise: Promise<T>): Promise<T | undefined> {
  return new Promise((resolve) => {
    const timer = clock.setTimer(ms, () => resolve(undefined));
    void promise.then((value) => {
      timer.cancel();
      resolve(value);
    });
  });
}
