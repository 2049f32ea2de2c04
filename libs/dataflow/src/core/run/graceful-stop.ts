import { messageOf } from '@roost/kernel';
import { type Clock, formatDuration, settlesWithin } from '@roost/time';
import { DataflowStuckError } from '../errors/dataflow-stuck.error.js';
import type { Dataflow } from './dataflow.js';
import type { NodeDescription } from './describe.js';

/** Maximum number of nodes that are named. */
const MAX_NAMES = 5;

export interface StopLimits {
  /** Time in ms for the stop at a tag. */
  readonly waitMs: number;
  /** Further time in ms for the stop by force. */
  readonly forceMs: number;
}

/** Stops a graph once: at a tag, or by force if that takes too long. */
export class GracefulStop {
  #stopping: Promise<void> | undefined;

  constructor(
    private readonly dataflow: Dataflow,
    private readonly clock: Clock,
  ) {}

  /**
   * Stops the graph. Further calls return the first promise. Does nothing if the graph is not running.
   *
   * @throws DataflowStuckError
   */
  stop(limits: StopLimits): Promise<void> {
    const { state } = this.dataflow;
    if (!this.#stopping && (state === 'ready' || state === 'stopped')) return Promise.resolve();
    return (this.#stopping ??= this.#stop(limits));
  }

  async #stop({ waitMs, forceMs }: StopLimits): Promise<void> {
    const { dataflow, clock } = this;
    const { logger } = dataflow.options;
    dataflow.requestShutdown().catch((error: unknown) => {
      // The run may have just ended on its own.
      if (dataflow.state !== 'stopped') logger.warn(`could not request a stop of the graph: ${messageOf(error)}`);
    });
    if (await settlesWithin(dataflow.ended, waitMs, clock)) return void (await dataflow.ended);
    const stuck = stuckNodes(dataflow).map(({ name }) => name);
    const error = new DataflowStuckError(stuck, waitMs, describeUnfinished(dataflow));
    const forced = dataflow.forceStop(`it had not stopped after ${formatDuration(waitMs)}`);
    await settlesWithin(Promise.all([forced, dataflow.ended]), forceMs, clock);
    throw error;
  }
}

/** Describes the work that keeps a graph from stopping, for progress lines and errors. */
export function describeUnfinished(dataflow: Dataflow): string {
  const stuck = stuckNodes(dataflow);
  const names = stuck.slice(0, MAX_NAMES).map(({ name, running }) => (running ? `${name}.${running}()` : name));
  if (stuck.length > MAX_NAMES) names.push(`${stuck.length - MAX_NAMES} more`);
  if (stuck.some(({ running }) => running)) return `waiting for ${names.join(', ')}`;
  return names.length > 0 ? `not at the stop tag yet: ${names.join(', ')}` : 'waiting for nodes in other processes';
}

/** Nodes with a reaction that has not settled; if there are none, nodes with events in their queues. */
function stuckNodes(dataflow: Dataflow): readonly NodeDescription[] {
  const { nodes } = dataflow.describe();
  const running = nodes.filter((node) => node.running !== undefined);
  return running.length > 0 ? running : nodes.filter(({ queued }) => queued > 0);
}
