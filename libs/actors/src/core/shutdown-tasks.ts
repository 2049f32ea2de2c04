import { counted } from '@roost/kernel';
import {
  ActorSystemTerminateReason,
  type CoordinatedShutdown,
  FORCE_MARGIN_MS,
  Phase,
  type ShutdownTaskContext,
} from '@roost/shutdown/core';
import { formatDuration } from '@roost/time';
import type { ActorSystem } from './actor-system.js';
import { ActorsForcedError } from './errors/actors-forced.error.js';
import { DEFAULT_ACTOR_SYSTEM_OPTIONS } from './options.js';

const PHASE = Phase.ActorSystemTerminate;

export interface ActorsTasksOptions {
  /** Module that registers the tasks, named in reports and warnings. */
  readonly declaredBy: string;
  /** Whether `system.terminate()` runs the shutdown. */
  readonly runShutdownOnTerminate: boolean;
}

/**
 * Stops the system during the application's shutdown, and makes `system.terminate()` start that shutdown if asked to.
 */
export function registerActorsTasks(
  shutdown: CoordinatedShutdown,
  system: ActorSystem,
  { declaredBy, runShutdownOnTerminate }: ActorsTasksOptions,
): void {
  const { shutdownTimeoutMs } = system.options;
  shutdown.reservePhaseTime(PHASE, shutdownTimeoutMs, {
    declaredBy,
    advice:
      'Actors still running by then are force-stopped. Raise the phase timeout, or lower shutdownTimeoutMs of the ' +
      'actor system.',
  });
  const suffix = system.name === DEFAULT_ACTOR_SYSTEM_OPTIONS.name ? '' : `-${system.name}`;
  const stop = async (_reason: unknown, ctx: ShutdownTaskContext): Promise<void> => {
    ctx.progress(() => progressText(system));
    const leftMs = ctx.deadline.left() - FORCE_MARGIN_MS;
    await stopSystem(system, Math.max(1, Math.min(shutdownTimeoutMs, leftMs)));
  };
  const timeoutMs = shutdownTimeoutMs + FORCE_MARGIN_MS;
  shutdown.addTask(PHASE, `actor-system-terminate${suffix}`, stop, { declaredBy, timeoutMs });
  if (runShutdownOnTerminate) system.terminator = () => shutdown.run(new ActorSystemTerminateReason());
}

/** Shuts the system down and logs the result. @throws ActorsForcedError */
export async function stopSystem(system: ActorSystem, timeoutMs?: number): Promise<void> {
  const report = await system.shutdown(timeoutMs);
  if (report.status === 'forced') throw new ActorsForcedError(system.name, report);
  const took = formatDuration(report.durationMs);
  const text = `all actors stopped in ${took}; ${report.deadLetters} dead letters since startup`;
  system.options.logger.log(text, system.name);
}

/** Text for progress lines: the actors and messages that the shutdown still waits for. */
export function progressText(system: ActorSystem): string {
  const { actors, messages } = system.census();
  return `${counted(actors, 'actor')} and ${counted(messages, 'message')} remaining`;
}
