import { type CoordinatedShutdown, Phase, type ShutdownTaskContext } from '@roost/shutdown/core';
import { formatDuration } from '@roost/time';
import type { Workers } from './workers.js';

const PHASE = Phase.ServiceRequestsDone;
/** Telling them to stop and refusing what comes later take no time to speak of. */
const STEP_TIMEOUT_MS = 2_000;
/** What is kept of a phase's time to name what is stuck. */
const FORCE_MARGIN_MS = 100;

/** Registers the steps of the end with the shutdown. */
export function registerWorkersTasks(shutdown: CoordinatedShutdown, workers: Workers, declaredBy: string): void {
  const { logger } = workers.options;
  // Processes may be added at any time before.
  shutdown.events$.subscribe(({ type }) => {
    if (type === 'shutdown.started') makeRoom(shutdown, workers);
  });

  const options = { declaredBy, timeoutMs: STEP_TIMEOUT_MS };
  shutdown.addTask(Phase.ServiceUnbind, 'stop-background-processes', () => workers.requestStop(), options);
  let hasFailed = false;
  const finish = async (_reason: unknown, ctx: ShutdownTaskContext): Promise<void> => {
    ctx.progress(() => workers.describeLeft());
    try {
      await workers.finish(ctx.deadline.left() - FORCE_MARGIN_MS);
    } catch (error) {
      hasFailed = true;
      throw error;
    }
    if (workers.describe().length > 0) logger.log('every background process has ended');
  };
  shutdown.addTask(PHASE, 'finish-background-processes', finish, { declaredBy });

  const close = async (): Promise<void> => {
    try {
      // Requests that were in flight may have handed over work in the meantime. What was stuck before still is.
      if (!hasFailed) await workers.finish(STEP_TIMEOUT_MS - FORCE_MARGIN_MS);
    } finally {
      workers.close();
    }
  };
  shutdown.addTask(Phase.ServiceStop, 'close-workers', close, options);
  makeRoom(shutdown, workers);
}

/**
 * Gives the phase the time that the processes may need, as long as it can still be changed. What the application has set
 * for the phase wins. A wait that nobody has chosen takes, when a shutdown begins, what the other phases leave.
 *
 * @returns a warning when what the application has set is too short
 */
export function makeRoom(shutdown: CoordinatedShutdown, workers: Workers): string | undefined {
  const { phases, timeoutMs, hooksBudgetMs } = shutdown.options;
  const { timeoutMs: hasMs, status } = shutdown.describe().find(({ name }) => name === PHASE)!;
  const chosenMs = workers.options.isDefaultWait ? workers.longestChosenWaitMs : workers.longestWaitMs;
  const setMs = phases[PHASE]?.timeoutMs;
  if (setMs !== undefined) {
    if (setMs >= chosenMs) return undefined;
    return (
      `phase ${PHASE} ends after ${formatDuration(setMs)}, but background processes may need ` +
      `${formatDuration(chosenMs)}: what is left then is not waited for. Raise the timeout of the phase, or lower maxWaitMs.`
    );
  }
  const leftMs = timeoutMs - hooksBudgetMs - (shutdown.totalTimeoutMs - hasMs);
  const fillingMs = shutdown.state === 'running' ? 0 : Math.min(workers.longestWaitMs + FORCE_MARGIN_MS, leftMs);
  const neededMs = Math.max(chosenMs + FORCE_MARGIN_MS, fillingMs);
  if (status === 'pending' && neededMs > hasMs) shutdown.setPhaseTimeout(PHASE, neededMs);
  return undefined;
}
