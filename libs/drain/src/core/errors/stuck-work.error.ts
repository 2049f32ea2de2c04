import { formatDuration } from '@roost/time';
import type { WorkInFlight } from '../work.js';
import { DrainError } from './drain.error.js';

const NAMED = 10;

/** Requests or messages were still in flight at the deadline and were cut off. @publicApi */
export class StuckWorkError extends DrainError {
  constructor(
    readonly waitedMs: number,
    /** All work that was cut off, oldest first. */
    readonly stuck: readonly WorkInFlight[],
  ) {
    const named = stuck.slice(0, NAMED).map(({ name, ageMs }) => `${name} (${formatDuration(ageMs)})`);
    const more = stuck.length > NAMED ? ` and ${stuck.length - NAMED} more` : '';
    super(
      'DRAIN_STUCK',
      `Cut off after waiting ${formatDuration(waitedMs)}: ${named.join(', ')}${more}. ` +
        'Raise maxWaitMs (and the timeout of phase service-requests-done), or end long responses when @DrainSignal() aborts.',
    );
  }
}
