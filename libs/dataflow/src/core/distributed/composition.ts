import type { PartitionOptions } from '../engine/partition.js';
import type { ResolvedDataflowOptions } from '../run/options.js';
import { nanosecondsOf } from '../time/span.js';
import type { Tag } from '../time/tag.js';
import { Coordinator, type CoordinatorOptions } from './coordinator/coordinator.js';
import type { ResolvedProcessOptions } from './options.js';
import { DataPlane, type DataPlaneOptions } from './partition/data-plane.js';
import type { ProcessPlan } from './plan.js';

/** Extra wait in ms beyond the coordinator's limit, so that the coordinator gives up first and can report why. */
export const COORDINATOR_GRACE_MS = 1_000;

/** The plan and the options of one process. */
export interface ProcessSettings {
  readonly plan: ProcessPlan;
  readonly options: ResolvedProcessOptions;
  readonly dataflow: ResolvedDataflowOptions;
}

type RunCallbacks = Pick<
  PartitionOptions,
  'instanceOf' | 'timeline' | 'signal' | 'requestStop' | 'arrived' | 'failed'
> &
  Pick<DataPlaneOptions, 'toPeer' | 'toCoordinator' | 'received'>;

export function createDataPlane({ plan, options, dataflow }: ProcessSettings, run: RunCallbacks): DataPlane {
  const { toPeer, toCoordinator, received, ...shared } = run;
  return new DataPlane({
    plan,
    process: options.process,
    window: options.window,
    serializer: options.serializer,
    plannedStop: plannedStop(dataflow),
    shared: {
      ...shared,
      isFast: dataflow.fast,
      isTraced: dataflow.trace,
      lagWarningMs: dataflow.lagWarningMs,
      logger: dataflow.logger,
      seed: dataflow.replay?.seed ?? dataflow.seed,
      replay: dataflow.replay?.arrivals,
    },
    toPeer,
    toCoordinator,
    received,
  });
}

export function createCoordinator(
  { plan, options, dataflow }: ProcessSettings,
  run: Pick<CoordinatorOptions, 'send' | 'isReachable' | 'finished'>,
): Coordinator {
  const { joinTimeoutMs, agreeTimeoutMs, restartTimeoutMs, heartbeatMs } = options;
  const { clock, logger, trace, fast, replay, forceTimeoutMs } = dataflow;
  return new Coordinator({
    plan,
    clock,
    logger,
    isTraced: trace,
    isFast: fast,
    plannedStop: plannedStop(dataflow),
    plannedStatus: replay?.status ?? 'stopped',
    joinTimeoutMs,
    agreeTimeoutMs,
    restartTimeoutMs,
    noticeMs: 2 * heartbeatMs,
    forceTimeoutMs: forceTimeoutMs + COORDINATOR_GRACE_MS / 2,
    ...run,
  });
}

function plannedStop({ replay, timeout }: ResolvedDataflowOptions): Tag | undefined {
  return replay?.stopTag ?? (timeout === undefined ? undefined : { time: nanosecondsOf(timeout), microstep: 0 });
}
