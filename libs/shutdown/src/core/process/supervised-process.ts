import { assertSignals } from '../options.js';
import type { ProcessTerminateReason } from '../reasons.js';
import { ProcessHub } from './process-hub.js';
import type { ProcessLike } from './process-like.js';

/**
 * From now on these signals neither begin a shutdown nor kill the process: for one that takes its orders from another
 * process, such as a child that gets the Ctrl+C meant for its parent. Listeners of others are still called.
 *
 * @publicApi
 */
export function ignoreSignals(signals: readonly NodeJS.Signals[], proc: ProcessLike = process): void {
  assertSignals(signals);
  ProcessHub.of(proc).ignore(signals);
}

/** Whether a coordinated shutdown of this process listens to signals by now, or has begun. @publicApi */
export const hasProcessHooks = (proc: ProcessLike = process): boolean => ProcessHub.of(proc).hasParticipants;

/**
 * Does what the signal of the reason would do if it came from outside, in a worker thread too: every shutdown of the
 * process begins, and is given this reason instead of the bare signal; so are shutdowns that join later. When a signal has
 * begun them already, it does nothing.
 *
 * @publicApi
 */
export function terminateProcess(reason: ProcessTerminateReason, proc: ProcessLike = process): void {
  ProcessHub.of(proc).terminate(reason);
}
