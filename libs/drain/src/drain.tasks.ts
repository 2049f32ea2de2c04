import { CoordinatedShutdown, Phase, ProcessReplacedReason, type ShutdownReason } from '@roost/shutdown';
import { formatDuration, sleep } from '@roost/time';
import type { Drain } from './core/index.js';

const declaredBy = 'DrainModule';
/** Refusing new work and closing connections take no time to speak of. */
const STEP_TIMEOUT_MS = 2_000;
/** What is kept of a phase's time to cut off what is stuck and to say so. */
const FORCE_MARGIN_MS = 100;

/** Registers the steps of the drain with the shutdown. */
export function registerDrainTasks(shutdown: CoordinatedShutdown, drain: Drain): void {
  const { clock, logger, lameDuckMs, maxWaitMs, settleMs } = drain.options;
  shutdown.events$.subscribe(({ type }) => {
    if (type === 'shutdown.started') drain.announce();
  });

  if (lameDuckMs > 0) {
    makeRoom(shutdown, Phase.BeforeServiceUnbind, lameDuckMs + FORCE_MARGIN_MS);
    const wait = (signal: AbortSignal) => sleep(lameDuckMs, { clock, signal });
    shutdown.addTask(Phase.BeforeServiceUnbind, 'lame-duck', (_, { signal }) => wait(signal), { declaredBy });
  }

  const unbind = (reason: ShutdownReason): void => {
    if (reason instanceof ProcessReplacedReason) drain.handOver();
    else drain.shed();
    logger.log(`taking no new work: ${drain.describe()}`);
  };
  shutdown.addTask(Phase.ServiceUnbind, 'refuse-new-work', unbind, { declaredBy, timeoutMs: STEP_TIMEOUT_MS });

  const limitMs = maxWaitMs + settleMs + FORCE_MARGIN_MS;
  makeRoom(shutdown, Phase.ServiceRequestsDone, limitMs);
  shutdown.addTask(
    Phase.ServiceRequestsDone,
    'finish-work-in-flight',
    async (_reason, ctx) => {
      ctx.progress(() => drain.describe());
      await drain.finish(Math.min(maxWaitMs, ctx.deadline.left() - FORCE_MARGIN_MS));
      const { admitted, shed } = drain.snapshot();
      logger.log(`every request has been answered: ${admitted} since the start, ${shed} refused`);
    },
    { declaredBy, timeoutMs: limitMs },
  );

  shutdown.addTask(Phase.ServiceStop, 'close-connections', () => drain.close(), {
    declaredBy,
    timeoutMs: STEP_TIMEOUT_MS,
  });
}

/** Gives a phase the time our task may need. What the application has set for the phase wins. */
function makeRoom(shutdown: CoordinatedShutdown, phase: Phase, neededMs: number): void {
  const { phases, logger } = shutdown.options;
  const setMs = phases[phase]?.timeoutMs;
  const { timeoutMs: hasMs } = shutdown.describe().find(({ name }) => name === phase)!;
  if (hasMs >= neededMs) return;
  if (setMs === undefined) {
    shutdown.setPhaseTimeout(phase, neededMs);
  } else {
    logger.warn(
      `phase ${phase} ends after ${formatDuration(setMs)}, but the drain may need ${formatDuration(neededMs)}: what is ` +
        'in flight then is cut off. Raise the timeout of the phase, or lower maxWaitMs or lameDuckMs of DrainModule.',
    );
  }
}
