import type { Placement } from '../run/dataflow.js';
import { PROCESS_OPTION_NAMES, type ProcessOptions, resolveProcessOptions } from './options.js';
import { planProcesses } from './plan.js';
import { ProcessRun } from './process-run.js';

/**
 * Places a graph over several processes; this is one of them. For the third argument of `new Dataflow()`.
 *
 * @throws InvalidDataflowOptionError; the graph is checked later: PlacementError, SplitCycleError
 * @publicApi
 */
export function placeInProcess(options: ProcessOptions): Placement {
  const resolved = resolveProcessOptions(options);
  const place: Placement = (graph, dataflow, instanceOf) => {
    const { fast, timeout, seed, replay } = dataflow;
    const plan = planProcesses(graph, resolved.placement, { fast, timeout, seed, isReplay: replay !== undefined });
    return new ProcessRun(plan, resolved, dataflow, instanceOf);
  };
  return Object.assign(place, { optionNames: PROCESS_OPTION_NAMES });
}
