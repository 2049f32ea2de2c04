import type { Placement } from '../run/dataflow.js';
import { PROCESS_OPTION_NAMES, type ProcessOptions, resolveProcessOptions } from './options.js';
import { planProcesses } from './plan.js';
import { ProcessRun } from './process-run.js';

/**
 * Places a graph in several processes, of which this is one. Pass the result as the third argument of `new Dataflow()`.
 *
 * @throws InvalidDataflowOptionError. The graph is checked later: PlacementError, SplitCycleError
 *
 * @example
 * ```ts
 * import { Dataflow, DataflowNode, OnStart, placeInProcess, type ProcessOptions, tcp } from '@roost/dataflow/core';
 *
 * @DataflowNode()
 * class HelloNode {
 *   @OnStart()
 *   greet(): void {
 *     console.log('hello');
 *   }
 * }
 *
 * const options: ProcessOptions = {
 *   graph: (g) => g.node(HelloNode),
 *   placement: { processes: { left: ['hello'] }, coordinator: 'left' },
 *   process: 'left',
 *   transport: tcp(),
 * };
 * const dataflow = new Dataflow(options, undefined, placeInProcess(options));
 * await dataflow.run();
 * ```
 *
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
