import type { PartitionOptions } from '../engine/partition.js';
import type { ResolvedDataflowOptions } from '../run/options.js';
import { nanosecondsOf } from '../time/span.js';
import type { Tag } from '../time/tag.js';
import { Coordinator, type CoordinatorOptions } from './coordinator.js';
import { DataPlane, type DataPlaneOptions } from './data-plane.js';
import type { ResolvedProcessOptions } from './options.js';
import type { ProcessPlan } from './plan.js';

/** What a process takes longer than the coordinator to give up waiting for the end of a stop by force. */
export const FORCE_MARGIN_MS = 1_000;

/** What a process of a run is made from. */
export interface ProcessSettings {
  readonly plan: ProcessPlan;
  readonly options: ResolvedProcessOptions;
  readonly dataflow: ResolvedDataflowOptions;
}

type PartsOfRun = Pick<PartitionOptions, 'instanceOf' | 'timeline' | 'signal' | 'requestStop' | 'arrived' | 'failed'> &
  Pick<DataPlaneOptions, 'toPeer' | 'toCoordinator' | 'received'>;

export function createDataPlane({ plan, options, dataflow }: ProcessSettings, run: PartsOfRun): DataPlane {
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
    forceTimeoutMs: forceTimeoutMs + FORCE_MARGIN_MS / 2,
    ...run,
  });
}

function plannedStop({ replay, timeout }: ResolvedDataflowOptions): Tag | undefined {
  return replay?.stopTag ?? (timeout === undefined ? undefined : { time: nanosecondsOf(timeout), microstep: 0 });
}
