export { ManualClock } from './manual-clock.js';
export type { ManualClockOptions } from './manual-clock.js';
