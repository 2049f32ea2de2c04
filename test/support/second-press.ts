import { setTimeout } from 'node:timers/promises';

/** Half a second after the first the same signal is a second one, and not the first passed on by npm or the like. */
const ECHO_MS = 500;

/** To be awaited before a signal is sent once more that is to count. */
export const untilSecondPress = (): Promise<void> => setTimeout(ECHO_MS + 50);
