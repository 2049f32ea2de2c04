import { assertSignals } from '../options.js';
import type { ProcessTerminateReason } from '../reasons.js';
import { ProcessHub } from './process-hub.js';
import type { ProcessLike } from './process-like.js';

/**
 * Makes these signals neither start a shutdown nor kill the process from now on. For a process that another process
 * controls, such as a child that receives the Ctrl+C meant for its parent. Other listeners are still called.
 *
 * @publicApi
 */
export function ignoreSignals(signals: readonly NodeJS.Signals[], proc: ProcessLike = process): void {
  assertSignals(signals);
  ProcessHub.of(proc).ignore(signals);
}

/** Whether a coordinated shutdown of this process already listens for signals or has started. @publicApi */
export const hasProcessHooks = (proc: ProcessLike = process): boolean => ProcessHub.of(proc).hasParticipants;

/**
 * Acts as if the signal of the reason had been received from outside, even in a worker thread. Every shutdown of the
 * process starts, and gets this reason instead of the bare signal; so do shutdowns that join later. Does nothing if a
 * signal has already started them.
 *
 * @publicApi
 */
export function terminateProcess(reason: ProcessTerminateReason, proc: ProcessLike = process): void {
  ProcessHub.of(proc).terminate(reason);
}
