/** A graph that is ready to run. */
export interface PreparedGraph {
  /** How often a value goes from one node to another, for each event of the source. */
  hops: number;
  /** Lets the source make all its events, with the values 1, 2, 3…. @returns the sum of what has arrived at the end */
  run(): number | Promise<number>;
  /** What that must be. */
  expected: number;
}

/** Whether it grows with `size`, and how, is up to each graph. */
export type PrepareGraph = (size: number, events: number) => PreparedGraph;

const sumOfValues = (events: number): number => (events * (events + 1)) / 2;

/** A source and then one node after the other, each of which adds 1, and the last of which counts up what it gets. */
export const chainOf = (nodes: number, events: number): Omit<PreparedGraph, 'run'> => ({
  hops: nodes - 1,
  expected: sumOfValues(events) + events * (nodes - 2),
});

/** A source, many nodes beside each other that add 1, and one that counts up what all of them send it. */
export const fanOf = (nodes: number, events: number): Omit<PreparedGraph, 'run'> => ({
  hops: 2 * nodes,
  expected: nodes * (sumOfValues(events) + events),
});
