import { createHash } from 'node:crypto';
import { PlacementError } from '../errors/placement.error.js';
import { SplitCycleError } from '../errors/split-cycle.error.js';
import type { EdgeModel, GraphModel, NodeModel } from '../graph/model.js';
import type { CrashPolicy } from '../node/declaration.js';
import type { PartitionEdge } from '../progress/partition-edge.js';
import { isSame, NO_DELAY } from '../time/tag.js';
import { assertRestartable, crashPolicies } from './coordinator/crash-policies.js';

/** Assigns nodes to processes. Every process of a run must use the same placement. @publicApi */
export interface GraphPlacement {
  /** Name that separates runs on the same network. @default 'dataflow' */
  app?: string;
  /** Node names by process name. Every node must be in exactly one process. */
  processes: Readonly<Record<string, readonly string[]>>;
  /** Name of the process that coordinates the others. @default 'coordinator', a process without nodes */
  coordinator?: string;
}

/** Nodes of one process that share a scheduler. */
export interface PartitionPlan {
  readonly index: number;
  readonly process: string;
  readonly nodes: readonly NodeModel[];
}

/** A connection between two partitions. */
export interface CrossEdge {
  readonly model: EdgeModel;
  readonly from: PartitionPlan;
  readonly to: PartitionPlan;
}

/** Whether a message arrives at the tag at which it was sent. */
export const isInstant = ({ model }: CrossEdge): boolean => !model.isPhysical && isSame(model.delay, NO_DELAY);

/** A graph divided into partitions. Every process computes the same plan. */
export interface ProcessPlan {
  readonly app: string;
  readonly graph: GraphModel;
  /** Hash of the graph and of every other setting that all processes must share. */
  readonly version: string;
  readonly coordinator: string;
  /** Names of all processes, including the process of the coordinator. */
  readonly processes: readonly string[];
  readonly partitions: readonly PartitionPlan[];
  readonly crossEdges: readonly CrossEdge[];
  /** Crash policy of each process. */
  readonly policies: ReadonlyMap<string, CrashPolicy>;
  /** Edges in logical time. Their indices are their numbers in reports and grants. */
  readonly logical: readonly CrossEdge[];
  /** The same edges, for the progress tracker. */
  readonly logicalEdges: readonly PartitionEdge[];
  /** Edges outside of logical time. They have a separate numbering in reports. */
  readonly physical: readonly CrossEdge[];
}

/**
 * Divides a graph into partitions.
 *
 * @param settings further settings that all processes must share
 * @throws PlacementError, SplitCycleError
 */
export function planProcesses(graph: GraphModel, placement: GraphPlacement, settings: unknown = {}): ProcessPlan {
  const { app = 'dataflow', processes, coordinator = 'coordinator' } = placement;
  const processOf = assignProcesses(graph, processes);
  const stages = stagesOf(graph, processOf);
  const byKey = new Map<string, NodeModel[]>();
  for (const node of graph.nodes) {
    const key = `${stages[node.index]} ${processOf[node.index]}`;
    const group = byKey.get(key);
    if (group) group.push(node);
    else byKey.set(key, [node]);
  }
  const partitions = [...byKey.values()].map((nodes, index) => ({
    index,
    process: processOf[nodes[0]!.index]!,
    nodes,
  }));
  const partitionOf = new Map(partitions.flatMap((partition) => partition.nodes.map((node) => [node, partition])));
  const edges = graph.edges.map((model) => ({
    model,
    from: partitionOf.get(model.from)!,
    to: partitionOf.get(model.to)!,
  }));
  const crossEdges = edges.filter(({ from, to }) => from !== to);
  const names = [...new Set([...Object.keys(processes), coordinator])];
  const policies = crashPolicies(names, partitions, coordinator);
  assertRestartable(policies, edges);
  const logical = crossEdges.filter(({ model }) => !model.isPhysical);
  return {
    app,
    graph,
    version: `${graph.version}-${hashOf([partitions.map(({ process, nodes: own }) => [process, own.map(({ name }) => name)]), coordinator, settings])}`,
    coordinator,
    processes: names,
    partitions,
    crossEdges,
    policies,
    logical,
    logicalEdges: logical.map(({ model, from, to }) => ({ from: from.index, to: to.index, delay: model.delay })),
    physical: crossEdges.filter(({ model }) => model.isPhysical),
  };
}

function assignProcesses({ nodes }: GraphModel, processes: GraphPlacement['processes']): string[] {
  const assigned = new Map<string, string>();
  const known = new Set(nodes.map(({ name }) => name));
  for (const [process, names] of Object.entries(processes ?? {})) {
    for (const name of names) {
      if (!known.has(name))
        throw new PlacementError(`process "${process}" lists "${name}", which is not a node of the graph`);
      const other = assigned.get(name);
      if (other !== undefined) throw new PlacementError(`node "${name}" is placed in both "${other}" and "${process}"`);
      assigned.set(name, process);
    }
  }
  const missing = nodes.filter(({ name }) => !assigned.has(name)).map(({ name }) => `"${name}"`);
  if (missing.length > 0) throw new PlacementError(`no process lists ${missing.join(', ')}`);
  return nodes.map(({ name }) => assigned.get(name)!);
}

/**
 * Returns the stage of each node: the number of process changes on the longest path without delay that leads to it.
 * Nodes of one process and stage can share a scheduler. Within a tag, none of them waits for a message that returns
 * from another process.
 */
function stagesOf({ nodes, edges }: GraphModel, processOf: readonly string[]): number[] {
  const instant = edges.filter(({ delay, isPhysical }) => !isPhysical && isSame(delay, NO_DELAY));
  const stages = nodes.map(() => 0);
  const outgoing: EdgeModel[][] = nodes.map(() => []);
  const waitsFor = nodes.map(() => 0);
  for (const edge of instant) {
    outgoing[edge.from.index]!.push(edge);
    waitsFor[edge.to.index]!++;
  }
  const raise = ({ from, to }: EdgeModel): boolean => {
    const stage = stages[from.index]! + (processOf[from.index] === processOf[to.index] ? 0 : 1);
    if (stage <= stages[to.index]!) return false;
    stages[to.index] = stage;
    return true;
  };
  const order = nodes.filter(({ index }) => waitsFor[index] === 0);
  for (const { index } of order) {
    for (const edge of outgoing[index]!) {
      raise(edge);
      if (--waitsFor[edge.to.index]! === 0) order.push(edge.to);
    }
  }
  // The remaining nodes are on a cycle of nodes that is not a cycle of reactions, or downstream of one.
  const left = instant.filter(({ to }) => waitsFor[to.index]! > 0);
  while (left.map(raise).includes(true)) {
    if (stages.some((stage) => stage > nodes.length))
      throw new SplitCycleError(splitCycles(nodes, outgoing, processOf));
  }
  return stages;
}

/** Returns the nodes on cycles that span several processes. */
function splitCycles(
  nodes: readonly NodeModel[],
  outgoing: readonly EdgeModel[][],
  processOf: readonly string[],
): string[] {
  const reached = nodes.map(({ index }) => {
    const found = new Set(outgoing[index]!.map(({ to }) => to.index));
    for (const at of found) for (const { to } of outgoing[at]!) found.add(to.index);
    return found;
  });
  const isSplit = ({ index }: NodeModel): boolean =>
    [...reached[index]!].some((other) => reached[other]!.has(index) && processOf[other] !== processOf[index]);
  return nodes.filter(isSplit).map(({ name }) => name);
}

const hashOf = (agreed: unknown): string =>
  createHash('sha256').update(JSON.stringify(agreed)).digest('hex').slice(0, 8);
