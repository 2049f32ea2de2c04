import {
  type CoordinatedShutdown,
  FORCE_MARGIN_MS,
  Phase,
  ProcessReplacedReason,
  type ShutdownReason,
  type ShutdownTaskContext,
} from '@roost/shutdown/core';
import { sleep } from '@roost/time';
import type { Drain } from './drain.js';

const declaredBy = 'DrainModule';
/** Timeout in ms of the steps that only refuse new work or close connections, which takes almost no time. */
const STEP_TIMEOUT_MS = 2_000;

/**
 * Registers the steps of the drain with the shutdown, and adds its in-flight work to `shutdown.inFlight`. `DrainModule`
 * calls this; call it yourself only in a program without Nest.
 *
 * @publicApi
 */
export function registerDrainTasks(shutdown: CoordinatedShutdown, drain: Drain): void {
  const { logger, lameDuckMs, maxWaitMs, settleMs } = drain.options;
  shutdown.addInFlightGauge(() => drain.meter.inFlight);
  shutdown.events$.subscribe(({ type }) => {
    if (type === 'shutdown.started') drain.announce();
  });
  if (lameDuckMs > 0) registerLameDuck(shutdown, drain);

  const unbind = (reason: ShutdownReason): void => {
    if (reason instanceof ProcessReplacedReason) drain.handOver();
    else drain.shed();
    logger.log(`stopped accepting new work: ${drain.describe()}`);
  };
  shutdown.addTask(Phase.ServiceUnbind, 'refuse-new-work', unbind, { declaredBy, timeoutMs: STEP_TIMEOUT_MS });

  const neededMs = maxWaitMs + settleMs;
  shutdown.reservePhaseTime(Phase.ServiceRequestsDone, neededMs, {
    declaredBy,
    advice: 'In-flight work is cut off at that point. Raise the phase timeout, or lower the maxWaitMs of the drain.',
  });
  const finish = async (_reason: ShutdownReason, ctx: ShutdownTaskContext): Promise<void> => {
    ctx.progress(() => drain.describe());
    await drain.finish(Math.min(maxWaitMs, ctx.deadline.left() - FORCE_MARGIN_MS));
    const { admitted, shed } = drain.snapshot();
    logger.log(`all requests have been answered: ${admitted} since startup, ${shed} refused`);
  };
  shutdown.addTask(Phase.ServiceRequestsDone, 'finish-work-in-flight', finish, {
    declaredBy,
    timeoutMs: neededMs + FORCE_MARGIN_MS,
  });

  shutdown.addTask(Phase.ServiceStop, 'close-connections', () => drain.close(), {
    declaredBy,
    timeoutMs: STEP_TIMEOUT_MS,
  });
}

/** Keeps serving for `lameDuckMs`, so that load balancers can notice the shutdown. */
function registerLameDuck(shutdown: CoordinatedShutdown, { options: { clock, lameDuckMs } }: Drain): void {
  shutdown.reservePhaseTime(Phase.BeforeServiceUnbind, lameDuckMs, {
    declaredBy,
    advice: 'The drain then refuses new work earlier. Raise the phase timeout, or lower the lameDuckMs of the drain.',
  });
  const wait = (_reason: ShutdownReason, { signal }: ShutdownTaskContext): Promise<void> =>
    sleep(lameDuckMs, { clock, signal });
  shutdown.addTask(Phase.BeforeServiceUnbind, 'lame-duck', wait, { declaredBy });
}
