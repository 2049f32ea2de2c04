import { ActorSystemTerminateReason, CoordinatedShutdown, Phase } from '@roost/shutdown';
import { formatDuration } from '@roost/time';
import type { ActorSystem } from './core/index.js';
import { ActorsForcedError } from './errors/actors-forced.error.js';
import { DEFAULT_SYSTEM_NAME } from './actors.options.js';

const declaredBy = 'ActorSystemModule';
/** What is kept of the phase's time to end actors by force and to say so. */
const FORCE_MARGIN_MS = 100;

/** Makes the system a part of the shutdown of the application, and its end a reason for that. */
export function connectToShutdown(
  shutdown: CoordinatedShutdown,
  system: ActorSystem,
  { runShutdownOnTerminate }: { runShutdownOnTerminate: boolean },
): void {
  const { shutdownTimeoutMs } = system.options;
  const limitMs = shutdownTimeoutMs + FORCE_MARGIN_MS;
  makeRoom(shutdown, limitMs);
  const suffix = system.name === DEFAULT_SYSTEM_NAME ? '' : `-${system.name}`;
  shutdown.addTask(
    Phase.ActorSystemTerminate,
    `actor-system-terminate${suffix}`,
    async (_reason, ctx) => {
      ctx.progress(() => describeLeft(system));
      const leftMs = ctx.deadline.left() - FORCE_MARGIN_MS;
      await endSystem(system, Math.max(1, Math.min(shutdownTimeoutMs, leftMs)));
    },
    { declaredBy, timeoutMs: limitMs },
  );
  if (runShutdownOnTerminate) system.terminator = () => shutdown.run(new ActorSystemTerminateReason());
}

/** @throws ActorsForcedError */
export async function endSystem(system: ActorSystem, timeoutMs?: number): Promise<void> {
  const report = await system.shutdown(timeoutMs);
  if (report.status === 'forced') throw new ActorsForcedError(system.name, report);
  const { logger } = system.options;
  const took = formatDuration(report.durationMs);
  logger.log(`every actor has ended, in ${took}; ${report.deadLetters} dead letters since the start`, system.name);
}

/** For progress lines: who is left, and what they have to do. */
export function describeLeft(system: ActorSystem): string {
  const { actors, messages } = system.census();
  return `${counted(actors, 'actor')} and ${counted(messages, 'message')} left`;
}

const counted = (count: number, what: string): string => `${count} ${what}${count === 1 ? '' : 's'}`;

/** Gives the phase the time our task may need. What the application has set for the phase wins. */
function makeRoom(shutdown: CoordinatedShutdown, neededMs: number): void {
  const phase = Phase.ActorSystemTerminate;
  const { phases, logger } = shutdown.options;
  const setMs = phases[phase]?.timeoutMs;
  const { timeoutMs: hasMs } = shutdown.describe().find(({ name }) => name === phase)!;
  if (hasMs >= neededMs) return;
  if (setMs === undefined) {
    shutdown.setPhaseTimeout(phase, neededMs);
    return;
  }
  logger.warn(
    `phase ${phase} ends after ${formatDuration(setMs)}, but actors may need ${formatDuration(neededMs)}: what is left ` +
      'then is ended by force. Raise the timeout of the phase, or lower shutdownTimeoutMs of ActorSystemModule.',
  );
}
