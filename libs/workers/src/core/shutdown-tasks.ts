import { type CoordinatedShutdown, FORCE_MARGIN_MS, Phase, type ShutdownTaskContext } from '@roost/shutdown/core';
import type { Workers } from './workers.js';

/** Timeout in ms of the two short steps: requesting the stop, and refusing late work. */
const STEP_TIMEOUT_MS = 2_000;

/**
 * Registers the steps of the stop and the in-flight gauge with the shutdown. The phase lasts as long as the longest
 * wait set by a worker or the application. A default wait uses the time that the other phases leave.
 */
export function registerWorkersTasks(shutdown: CoordinatedShutdown, workers: Workers, declaredBy: string): void {
  shutdown.addInFlightGauge(() => workers.inFlight);
  shutdown.reservePhaseTime(Phase.ServiceRequestsDone, () => workers.longestChosenWaitMs, {
    declaredBy,
    advice: 'The shutdown does not wait longer for background processes. Raise the phase timeout, or lower maxWaitMs.',
    growsIntoRestMs: () => workers.longestWaitMs,
  });

  let hasFailed = false;
  const finish = async (_reason: unknown, ctx: ShutdownTaskContext): Promise<void> => {
    ctx.progress(() => workers.describeInFlight());
    try {
      await workers.finish(ctx.deadline.left() - FORCE_MARGIN_MS);
    } catch (error) {
      hasFailed = true;
      throw error;
    }
    if (workers.describe().length > 0) workers.options.logger.log('all background processes have stopped');
  };
  const close = async (): Promise<void> => {
    try {
      // In-flight requests may have started work after the previous phase. Workers that were stuck then still are.
      if (!hasFailed) await workers.finish(STEP_TIMEOUT_MS - FORCE_MARGIN_MS);
    } finally {
      workers.close();
    }
  };
  const short = { declaredBy, timeoutMs: STEP_TIMEOUT_MS };
  shutdown.addTask(Phase.ServiceUnbind, 'stop-background-processes', () => workers.requestStop(), short);
  shutdown.addTask(Phase.ServiceRequestsDone, 'finish-background-processes', finish, { declaredBy });
  shutdown.addTask(Phase.ServiceStop, 'close-workers', close, short);
}
