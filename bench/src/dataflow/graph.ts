/** A graph that is ready to run. */
export interface PreparedGraph {
  /** Number of hops between nodes per event of the source. */
  hops: number;
  /** Lets the source emit all its events, with the values 1, 2, 3…. @returns the sum that arrived at the end */
  run(): number | Promise<number>;
  /** The expected sum. */
  expected: number;
}

/** Each graph decides whether and how it grows with `size`. */
export type PrepareGraph = (size: number, events: number) => PreparedGraph;

const sumOfValues = (events: number): number => (events * (events + 1)) / 2;

/** A source followed by nodes that each add 1. The last node sums up the values. */
export const chainOf = (nodes: number, events: number): Omit<PreparedGraph, 'run'> => ({
  hops: nodes - 1,
  expected: sumOfValues(events) + events * (nodes - 2),
});

/** A source, many parallel nodes that add 1, and a node that sums up their values. */
export const fanOf = (nodes: number, events: number): Omit<PreparedGraph, 'run'> => ({
  hops: 2 * nodes,
  expected: nodes * (sumOfValues(events) + events),
});
