import fc from 'fast-check';
import { type Delay, NO_DELAY, ONE_MICROSTEP, type Tag } from '../time/tag.js';
import type { PartitionEdge } from './partition-edge.js';

/** An event that occurs at a tag. Each message that it causes has one hop less, down to 0. */
export interface TimerSpec {
  readonly tag: Tag;
  readonly hops: number;
}

export interface PartitionSpec {
  readonly timers: readonly TimerSpec[];
  /** Whether its timers are hidden. Others only know a floor before the next one, which is raised on request. */
  readonly isPhysical: boolean;
}

export interface GraphSpec {
  readonly partitions: readonly PartitionSpec[];
  readonly edges: readonly PartitionEdge[];
  /** Whether partitions send their input on every edge, instead of choosing edges. */
  readonly forwards: boolean;
}

export const at = (time: number, microstep = 0): Tag => ({ time, microstep });

const DELAYS: readonly Delay[] = [NO_DELAY, NO_DELAY, ONE_MICROSTEP, at(0, 2), at(1), at(3), at(10)];

/** Edges among the given number of partitions, including parallel edges and cycles, but no cycle without a delay. */
export const edgesAmong = (partitions: number, hasCycles = true): fc.Arbitrary<PartitionEdge[]> => {
  const index = fc.nat({ max: partitions - 1 });
  const edge = fc.record({ from: index, to: index, delay: fc.constantFrom(...DELAYS) });
  const relabel = fc.shuffledSubarray([...Array(partitions).keys()], { minLength: partitions });
  return fc.tuple(fc.array(edge, { maxLength: 2 * partitions }), relabel).map(([edges, labels]) =>
    edges.flatMap(({ from, to, delay }) => {
      const isForward = from < to;
      if (from === to || (!isForward && !hasCycles)) return [];
      const positive = !isForward && delay === NO_DELAY ? ONE_MICROSTEP : delay;
      return [{ from: labels[from]!, to: labels[to]!, delay: positive }];
    }),
  );
};

const timer: fc.Arbitrary<TimerSpec> = fc.record({
  tag: fc.record({ time: fc.nat({ max: 20 }), microstep: fc.nat({ max: 2 }) }),
  hops: fc.integer({ min: 1, max: 5 }),
});

export const graphs: fc.Arbitrary<GraphSpec> = fc.integer({ min: 1, max: 6 }).chain((count) => {
  const partition = fc.record({
    timers: fc.uniqueArray(timer, { maxLength: 4, selector: ({ tag }) => `${tag.time}:${tag.microstep}` }),
    isPhysical: fc.boolean(),
  });
  return fc.record({
    partitions: fc.array(partition, { minLength: count, maxLength: count }),
    edges: edgesAmong(count),
    forwards: fc.boolean(),
  });
});

const idle: PartitionSpec = { timers: [], isPhysical: false };

const ticking = (ticks: number, period: number, hops: number): PartitionSpec => ({
  timers: Array.from({ length: ticks }, (_, tick) => ({ tag: at(tick * period), hops })),
  isPhysical: false,
});

/** A source that sends to a join directly and through two other partitions. */
export const diamond = (ticks: number): GraphSpec => ({
  partitions: [ticking(ticks, 1, 9), idle, idle, idle],
  edges: [
    { from: 0, to: 3, delay: NO_DELAY },
    { from: 0, to: 1, delay: NO_DELAY },
    { from: 1, to: 2, delay: NO_DELAY },
    { from: 2, to: 3, delay: NO_DELAY },
  ],
  forwards: true,
});

/** A ring in which each tick sends a message around once. The edge back to the source has a delay. */
export const loop = (size: number, ticks: number, period: number, closing: Delay): GraphSpec => ({
  partitions: [ticking(ticks, period, size + 1), ...new Array<PartitionSpec>(size - 1).fill(idle)],
  edges: Array.from({ length: size }, (_, from) => {
    const to = (from + 1) % size;
    return { from, to, delay: to === 0 ? closing : NO_DELAY };
  }),
  forwards: true,
});

/** Graphs without cycles, in which the first partitions tick and all others forward their input. */
export const acyclicGraphs = (ticks: number): fc.Arbitrary<GraphSpec> =>
  fc.integer({ min: 2, max: 6 }).chain((count) =>
    edgesAmong(count, false).map((edges) => {
      const hasInput = new Set(edges.map(({ to }) => to));
      const partitions = Array.from({ length: count }, (_, index) =>
        hasInput.has(index) ? idle : ticking(ticks, 1 + (index % 3), 9),
      );
      return { partitions, edges, forwards: true };
    }),
  );
