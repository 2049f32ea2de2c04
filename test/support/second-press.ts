import { setTimeout } from 'node:timers/promises';

/** After half a second, the same signal counts as a second one, not as the first one passed on by npm. */
const ECHO_MS = 500;

/** Await this before sending a signal that must count as a second one. */
export const untilSecondPress = (): Promise<void> => setTimeout(ECHO_MS + 50);
