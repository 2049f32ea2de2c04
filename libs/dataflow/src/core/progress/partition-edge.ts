import { type Delay, isSame, NO_DELAY } from '../time/tag.js';

/**
 * A logical connection between two partitions, which are groups of nodes that share a scheduler. The tags of its
 * messages strictly increase, so a tag identifies a message. Partitions and edges are identified by index.
 */
export interface PartitionEdge {
  readonly from: number;
  readonly to: number;
  readonly delay: Delay;
}

/**
 * Returns the partitions on a cycle without delay, with the first one repeated at the end. Undefined if there is none.
 */
export function findZeroDelayCycle(partitions: number, edges: readonly PartitionEdge[]): number[] | undefined {
  const instant = edges.filter(({ delay }) => isSame(delay, NO_DELAY));
  const targets: number[][] = Array.from({ length: partitions }, () => []);
  const waitsFor = new Array<number>(partitions).fill(0);
  for (const { from, to } of instant) {
    targets[from]!.push(to);
    waitsFor[to]!++;
  }
  const order = [...waitsFor.keys()].filter((partition) => waitsFor[partition] === 0);
  for (const partition of order) {
    for (const to of targets[partition]!) if (--waitsFor[to]! === 0) order.push(to);
  }
  if (order.length === partitions) return undefined;

  // Each remaining partition waits for another one, so a walk backwards must reach a cycle.
  const cause = new Map<number, number>();
  for (const { from, to } of instant) if (waitsFor[from]! > 0 && waitsFor[to]! > 0) cause.set(to, from);
  const path = [cause.keys().next().value!];
  for (;;) {
    const next = cause.get(path[0]!)!;
    const known = path.indexOf(next);
    path.unshift(next);
    if (known >= 0) return path.slice(0, known + 2);
  }
}
