import type { Partition } from '../engine/partition.js';
import type { NodeRuntime } from '../engine/node-runtime.js';
import type { EdgeModel, GraphModel, NodeModel } from '../graph/model.js';
import { isSame, NO_DELAY, type Tag } from '../time/tag.js';

/** State of a node. @publicApi */
export interface NodeDescription {
  readonly name: string;
  /** Name of its class. */
  readonly type: string;
  /** The last tag at which one of its reactions ran. */
  readonly tag: Tag | undefined;
  readonly tags: number;
  readonly firings: number;
  /** Name of the reaction that has not settled yet. */
  readonly running: string | undefined;
  /** Number of events that wait for their tag. */
  readonly queued: number;
  /** Lag behind the clock, in ms. 0 in a `fast` graph. */
  readonly lagMs: number;
  /** By input, the number of upstream outputs that may still send a value. */
  readonly activeUpstreams: Readonly<Record<string, number>>;
  /** Whether the node has nothing left to do except its shutdown. */
  readonly isDone: boolean;
  /** Process in which the node runs, if the graph is placed in several processes. */
  readonly process?: string;
}

/** A connection of the graph. @publicApi */
export interface EdgeDescription {
  /** `node.port` */
  readonly from: string;
  readonly to: string;
  /** Delay of the connection. Missing if values arrive at the tag at which they are sent. */
  readonly after?: Tag;
  readonly isPhysical: boolean;
}

/** Current state of a graph. @publicApi */
export interface GraphDescription {
  readonly version: string;
  readonly nodes: readonly NodeDescription[];
  readonly edges: readonly EdgeDescription[];
  /** Names of the nodes that lag behind the clock by more than `lagWarningMs`. */
  readonly lagging: readonly string[];
}

export function describeGraph(
  graph: GraphModel,
  partitions: readonly Partition[],
  lagWarningMs: number,
  isFast = false,
): GraphDescription {
  const here = new Map<NodeModel, { node: NodeRuntime; queued: number; lagMs: number }>();
  for (const partition of partitions) {
    const queued = partition.scheduler.queue.countByOwner();
    for (const node of partition.nodes) {
      const count = queued.get(node.name) ?? 0;
      here.set(node.model, { node, queued: count, lagMs: count > 0 && !isFast ? partition.lagMs : 0 });
    }
  }
  const live = liveNodes(graph, (model) => {
    const found = here.get(model);
    return (
      !found || found.queued > 0 || found.node.running !== undefined || found.node.actions.some(({ isOpen }) => isOpen)
    );
  });
  const nodes = graph.nodes.map((model): NodeDescription => {
    const { node, queued = 0, lagMs = 0 } = here.get(model) ?? {};
    return {
      name: model.name,
      type: model.type.name,
      tag: node?.lastTag,
      tags: node?.tags ?? 0,
      firings: node?.firings ?? 0,
      running: node?.running?.name,
      queued,
      lagMs,
      activeUpstreams: Object.fromEntries(
        model.inputs.map(({ name, edges }) => [name, edges.filter(({ from }) => live.has(from)).length]),
      ),
      isDone: !live.has(model),
    };
  });
  return {
    version: graph.version,
    nodes,
    edges: graph.edges.map(describe),
    lagging: nodes.filter(({ lagMs }) => lagMs > lagWarningMs).map(({ name }) => name),
  };
}

/** Returns the nodes that may still be active on their own, and all nodes downstream of them. */
function liveNodes(graph: GraphModel, isLive: (node: NodeModel) => boolean): Set<NodeModel> {
  const live = new Set(graph.nodes.filter(isLive));
  for (const node of live) for (const { edges } of node.outputs) for (const { to } of edges) live.add(to);
  return live;
}

const describe = ({ from, output, to, input, delay, isPhysical }: EdgeModel): EdgeDescription => ({
  from: `${from.name}.${from.outputs[output]!.name}`,
  to: `${to.name}.${to.inputs[input]!.name}`,
  ...(!isSame(delay, NO_DELAY) && { after: delay }),
  isPhysical,
});
