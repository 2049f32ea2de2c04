import type { RoostLogger } from '@roost/kernel';
import type { Clock, Timer } from '@roost/time';

const EVERY_MS = 1_000;

/** Logs the text that `line` returns, if any, once a second until cancelled. */
export function reportProgress(clock: Clock, logger: RoostLogger, line: () => string | undefined): Timer {
  const tick = (): void => {
    timer = clock.setTimer(EVERY_MS, tick);
    const text = line();
    if (text) logger.log(text);
  };
  let timer = clock.setTimer(EVERY_MS, tick);
  return { cancel: () => timer.cancel() };
}
