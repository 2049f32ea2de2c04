import { type CoordinatedShutdown, FORCE_MARGIN_MS, Phase } from '@roost/shutdown/core';
import { LaunchedProcessesFailedError } from './errors/launched-processes-failed.error.js';
import type { ProcessGroup } from './launcher/process-group.js';
import type { Dataflow } from './run/dataflow.js';
import { describeUnfinished, GracefulStop, type StopLimits } from './run/graceful-stop.js';

/** Requests in flight are answered by then, so that everything they have sent into the graph is handled. */
const STOP_PHASE = Phase.ServiceStop;

/** The graph has stopped by then, and what the launched processes have used is still there. */
const END_PHASE = Phase.BeforeActorSystemTerminate;

/** Time between the kill of launched processes and the notice of their ends. */
const KILL_MARGIN_MS = 500;

/** Time until the other processes of a graph know of a stop by force. */
const SPREAD_MS = 2_000;

/** Time in ms for a stop at a tag, unless the application has chosen one. */
export const DEFAULT_STOP_TIMEOUT_MS = 10_000;

/** The wait for the ends of launched processes, unless the application has chosen one. */
export const DEFAULT_KILL_AFTER_MS = 10_000;

/** @publicApi */
export interface DataflowTaskOptions {
  /** The module that registers the tasks, for logs and warnings. */
  readonly declaredBy: string;
  /**
   * How long the shutdown waits for the graph to stop before it uses force. Left out, the wait takes the time that the
   * other phases leave, up to `DEFAULT_STOP_TIMEOUT_MS`.
   */
  readonly stopTimeoutMs: number | undefined;
  /** Whether other processes have to hear of a stop by force. */
  readonly isPlaced: boolean;
}

/** The stop of a graph, for a host whose shutdown has not run the task. @publicApi */
export interface DataflowTasks {
  /** Whether the task of the shutdown has begun, and so reports how the stop goes. */
  readonly hasBegun: boolean;
  /** Stops the graph once, however often it is called. @throws DataflowStuckError */
  stop(): Promise<void>;
  /** Like `stop()`. @throws what the graph has failed with since the shutdown began */
  finish(): Promise<void>;
}

/**
 * Registers the task that stops a graph in a shutdown: at a tag, and by force if that takes too long. `DataflowModule` does
 * this by itself.
 *
 * @publicApi
 */
export function registerDataflowTasks(
  shutdown: CoordinatedShutdown,
  dataflow: Dataflow,
  { declaredBy, stopTimeoutMs, isPlaced }: DataflowTaskOptions,
): DataflowTasks {
  const graceful = new GracefulStop(dataflow, shutdown.options.clock);
  const waitMs = stopTimeoutMs ?? DEFAULT_STOP_TIMEOUT_MS;
  const forceMs = dataflow.options.forceTimeoutMs + (isPlaced ? SPREAD_MS : 0);
  const unhurried: StopLimits = { waitMs, forceMs: forceMs + FORCE_MARGIN_MS };
  let hasBegun = false;
  /** Then the shutdown is not to blame for how the run has ended. */
  let hasEndedBefore = false;
  shutdown.events$.subscribe(({ type }) => {
    if (type === 'shutdown.started') hasEndedBefore = dataflow.state === 'stopped';
  });

  const finish = async (limits: StopLimits): Promise<void> => {
    await graceful.stop(limits);
    const { error } = dataflow.report ?? {};
    if (error && !hasEndedBefore) throw error;
  };

  shutdown.addTask(
    STOP_PHASE,
    'stop-dataflow',
    (_reason, ctx) => {
      hasBegun = true;
      ctx.progress(() => describeUnfinished(dataflow));
      return finish(limitsWithin(ctx.deadline.left(), unhurried));
    },
    { declaredBy },
  );
  const needsMs = waitMs + forceMs;
  shutdown.reservePhaseTime(STOP_PHASE, stopTimeoutMs === undefined ? 0 : needsMs, {
    declaredBy,
    growsIntoRestMs: stopTimeoutMs === undefined ? needsMs : 0,
    advice: 'The graph is stopped by force earlier. Raise the timeout of the phase, or lower stopTimeoutMs.',
  });
  return {
    get hasBegun() {
      return hasBegun;
    },
    stop: () => graceful.stop(unhurried),
    finish: () => finish(unhurried),
  };
}

/** In a phase that is too short, up to half of the time is for the stop by force, and its end for naming what is stuck. */
function limitsWithin(leftMs: number, { waitMs, forceMs }: StopLimits): StopLimits {
  const reservedMs = Math.min(forceMs, leftMs / 2);
  return {
    waitMs: Math.min(waitMs, leftMs - reservedMs),
    forceMs: reservedMs - Math.min(FORCE_MARGIN_MS, reservedMs / 2),
  };
}

/** Registers the task that ends the processes which a launcher has started, and kills those that take too long. */
export function registerLaunchTasks(
  shutdown: CoordinatedShutdown,
  dataflow: Dataflow,
  group: ProcessGroup,
  killAfterMs: number | undefined,
): void {
  const waitMs = killAfterMs ?? DEFAULT_KILL_AFTER_MS;
  const declaredBy = 'launchDataflow()';
  shutdown.addTask(
    END_PHASE,
    'end-processes',
    async (_reason, ctx) => {
      ctx.progress(() => `waiting for ${group.left.join(', ')}`);
      const leftMs = ctx.deadline.left();
      const exits = await group.end(Math.min(waitMs, Math.max(leftMs * 0.75, leftMs - KILL_MARGIN_MS)));
      const failed = exits.filter(({ code }) => code !== 0);
      // In a run that was stopped before it began, the exit codes of processes that wanted to join do not matter.
      const hasRun = dataflow.report?.stopTag !== undefined;
      if (hasRun && failed.length > 0) throw new LaunchedProcessesFailedError(failed);
    },
    { declaredBy },
  );
  const needsMs = waitMs + 2 * KILL_MARGIN_MS;
  shutdown.reservePhaseTime(END_PHASE, killAfterMs === undefined ? 0 : needsMs, {
    declaredBy,
    growsIntoRestMs: killAfterMs === undefined ? needsMs : 0,
    advice: 'Processes that are slow to exit are killed earlier. Raise the timeout of the phase, or lower killAfterMs.',
  });
}
