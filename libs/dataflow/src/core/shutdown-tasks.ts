import { type CoordinatedShutdown, FORCE_MARGIN_MS, Phase } from '@roost/shutdown/core';
import { LaunchedProcessesFailedError } from './errors/launched-processes-failed.error.js';
import type { ProcessGroup } from './launcher/process-group.js';
import type { Dataflow } from './run/dataflow.js';
import { describeUnfinished, GracefulStop, type StopLimits } from './run/graceful-stop.js';

/** In this phase in-flight requests have been answered, so all their input reaches the graph before the stop. */
const STOP_PHASE = Phase.ServiceStop;

/** In this phase the graph has stopped, and resources of the launched processes are still available. */
const END_PHASE = Phase.BeforeActorSystemTerminate;

/** Time in ms between the kill of launched processes and the notification of their exit. */
const KILL_MARGIN_MS = 500;

/** Time in ms for a stop by force to reach the other processes of a graph. */
const SPREAD_MS = 2_000;

/** Default time in ms for a stop at a tag. */
export const DEFAULT_STOP_TIMEOUT_MS = 10_000;

/** Default time in ms for launched processes to exit. */
export const DEFAULT_KILL_AFTER_MS = 10_000;

/** Options of `registerDataflowTasks()`. @publicApi */
export interface DataflowTaskOptions {
  /** Name of the module that registers the tasks, for logs and warnings. */
  readonly declaredBy: string;
  /**
   * Time in ms that the shutdown gives the graph to stop before it stops the graph by force. Undefined for the time
   * that the other phases leave, up to `DEFAULT_STOP_TIMEOUT_MS`.
   */
  readonly stopTimeoutMs: number | undefined;
  /** Whether a stop by force must reach other processes. */
  readonly isPlaced: boolean;
}

/** Stops a graph, for a host whose shutdown has not run the task. @publicApi */
export interface DataflowTasks {
  /** Whether the shutdown task has started. It then reports how the stop went. */
  readonly hasBegun: boolean;
  /** Stops the graph. Further calls wait for the first stop. @throws DataflowStuckError */
  stop(): Promise<void>;
  /** Like `stop()`, but also throws the error with which the graph has failed since shutdown began. */
  finish(): Promise<void>;
}

/**
 * Registers the shutdown task that stops a graph: at a tag, or by force if that takes too long. `DataflowModule` calls
 * it automatically.
 *
 * @example
 * ```ts
 * import { Dataflow, DataflowNode, OnStart, registerDataflowTasks } from '@roost/dataflow/core';
 * import { CoordinatedShutdown } from '@roost/shutdown/core';
 *
 * @DataflowNode()
 * class HelloNode {
 *   @OnStart()
 *   greet(): void {
 *     console.log('hello');
 *   }
 * }
 *
 * const shutdown = new CoordinatedShutdown();
 * const dataflow = new Dataflow({ graph: (g) => g.node(HelloNode) });
 * registerDataflowTasks(shutdown, dataflow, {
 *   declaredBy: 'main',
 *   stopTimeoutMs: undefined,
 *   isPlaced: false,
 * });
 * await dataflow.run();
 * ```
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
  /** If true, the run ended before shutdown began, so its error is not a failure of the shutdown. */
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

/**
 * If the phase is too short, reserves up to half of it for the stop by force, and the end of that for reporting what is
 * stuck.
 */
function limitsWithin(leftMs: number, { waitMs, forceMs }: StopLimits): StopLimits {
  const reservedMs = Math.min(forceMs, leftMs / 2);
  return {
    waitMs: Math.min(waitMs, leftMs - reservedMs),
    forceMs: reservedMs - Math.min(FORCE_MARGIN_MS, reservedMs / 2),
  };
}

/** Registers the shutdown task that ends launched processes and kills those that take too long. */
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
      // If the run was stopped before it started, the exit codes of processes that tried to join do not matter.
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
