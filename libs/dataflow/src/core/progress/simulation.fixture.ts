import { FOREVER, isBefore, isSame, NO_DELAY } from '../time/tag.js';
import type { GraphSpec } from './graphs.fixture.js';
import { inOrder, NaiveProgress } from './naive-progress.fixture.js';
import { type Grant, ProgressTracker, type Report } from './progress-tracker.js';
import { type Message, SimulatedPartition } from './simulated-partition.fixture.js';

export interface Interleaving {
  readonly seed: number;
  /** Whether a partition continues as long as it may before it reports, and reports only after it has handled a tag. */
  readonly batches: boolean;
}

export interface Outcome {
  /** The trace of each partition. */
  readonly traces: readonly (readonly string[])[];
  readonly dataMessages: number;
  readonly controlMessages: number;
}

/** Returns a generator of numbers between 0 and 1, determined by the seed. */
const randomNumbers = (seed: number): (() => number) => {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
};

const shift = <T>(queues: T[][], index: number): T => queues[index]!.shift()!;

/**
 * Partitions, edges and a coordinator, any of which may be slow. The next action is chosen at random among all possible
 * ones. After every report, the tracker is compared with the naive computation.
 */
export class Simulation {
  readonly tracker: ProgressTracker;
  readonly naive: NaiveProgress;
  readonly #partitions: SimulatedPartition[];
  readonly #edges: Message[][];
  readonly #reports: Report[][];
  readonly #grants: Grant[][];
  readonly #random: () => number;
  readonly #weights = new Map<string, number>();
  #dataMessages = 0;
  #controlMessages = 0;

  constructor(
    private readonly graph: GraphSpec,
    private readonly interleaving: Interleaving,
  ) {
    const { partitions, edges } = graph;
    this.tracker = new ProgressTracker(partitions.length, edges);
    this.naive = new NaiveProgress(partitions.length, edges);
    this.#partitions = partitions.map((_, index) => new SimulatedPartition(index, graph));
    this.#edges = edges.map(() => []);
    this.#reports = partitions.map(() => []);
    this.#grants = partitions.map(() => []);
    this.#random = randomNumbers(interleaving.seed);
  }

  run(): Outcome {
    for (let action = this.#choose(); action; action = this.#choose()) action();
    const traces = this.#partitions.map(({ trace }) => trace);
    return { traces, dataMessages: this.#dataMessages, controlMessages: this.#controlMessages };
  }

  #choose(): (() => void) | undefined {
    const possible: { weight: number; action: () => void }[] = [];
    const offer = (kind: string, index: number, action: (index: number) => void): void => {
      possible.push({ weight: this.#weightOf(`${kind} ${index}`), action: () => action(index) });
    };
    for (const [index, { length }] of this.#edges.entries()) if (length > 0) offer('data', index, this.#deliver);
    for (const [index, partition] of this.#partitions.entries()) {
      if (this.#reports[index]!.length > 0) offer('report', index, this.#handleReport);
      if (this.#grants[index]!.length > 0) offer('grant', index, this.#handleGrant);
      if (partition.isDirty) offer('send', index, this.#sendReport);
      if (partition.isReady) offer('step', index, this.#step);
      if (partition.holdsItselfBack) offer('reveal', index, () => partition.reveal());
    }
    if (possible.length === 0) return this.#raiseFloor();
    let rest = this.#random() * possible.reduce((sum, { weight }) => sum + weight, 0);
    return (possible.find(({ weight }) => (rest -= weight) < 0) ?? possible[0])!.action;
  }

  /** Accepts external input when nothing else is possible. */
  #raiseFloor(): (() => void) | undefined {
    const open = this.#partitions.filter(({ floor }) => !isSame(floor, FOREVER));
    const waiting = this.#partitions.filter(({ next }) => !isSame(next, FOREVER));
    const blockers = waiting.flatMap(({ index }) => this.tracker.blockers(index));
    const asked = waiting.length > 0 ? open.filter(({ index }) => blockers.includes(index)) : open;
    if (waiting.length > 0 && asked.length === 0) throw new Error('stuck without a blocker');
    const chosen = asked[Math.floor(this.#random() * asked.length)];
    return chosen && (() => chosen.reveal());
  }

  /** Some actions are up to a hundred times as fast as others. */
  #weightOf(what: string): number {
    const known = this.#weights.get(what);
    if (known !== undefined) return known;
    const weight = 100 ** this.#random();
    this.#weights.set(what, weight);
    return weight;
  }

  readonly #deliver = (edge: number): void => {
    const partition = this.#partitions[this.graph.edges[edge]!.to]!;
    partition.receive(shift(this.#edges, edge));
    if (!this.interleaving.batches && this.#random() < 0.3) partition.isDirty = true;
  };

  readonly #step = (index: number): void => {
    const partition = this.#partitions[index]!;
    do {
      for (const message of partition.step()) {
        this.#edges[message.edge]!.push(message);
        this.#dataMessages++;
      }
    } while (this.interleaving.batches && partition.isReady);
  };

  readonly #sendReport = (index: number): void => {
    this.#reports[index]!.push(this.#partitions[index]!.report());
    this.#controlMessages++;
  };

  readonly #handleGrant = (index: number): void => this.#partitions[index]!.accept(shift(this.#grants, index));

  readonly #handleReport = (index: number): void => {
    const report = shift(this.#reports, index);
    const before = this.#partitions.map((_, partition) => this.tracker.bound(partition));
    const grants = this.tracker.report(report);
    expect(inOrder(grants)).toEqual(this.naive.report(report));
    const bounds = this.#partitions.map((_, partition) => this.tracker.bound(partition));
    expect(bounds).toEqual(this.naive.bounds());
    expect(bounds.filter((bound, partition) => isBefore(bound, before[partition]!))).toEqual([]);
    for (const grant of grants) {
      this.#grants[grant.partition]!.push(grant);
      this.#controlMessages++;
    }
  };
}

/** Computes the expected traces: all partitions in one place, tag by tag, senders before receivers. */
export function runInOrder(graph: GraphSpec): string[][] {
  const partitions = graph.partitions.map((_, index) => new SimulatedPartition(index, graph));
  for (const partition of partitions) while (!isSame(partition.floor, FOREVER)) partition.reveal();
  const level = partitions.map(() => 0);
  for (const _ of partitions) {
    for (const { from, to, delay } of graph.edges) {
      if (isSame(delay, NO_DELAY)) level[to] = Math.max(level[to]!, level[from]! + 1);
    }
  }
  const comesBefore = (a: SimulatedPartition, b: SimulatedPartition): boolean =>
    isSame(a.next, b.next) ? level[a.index]! < level[b.index]! : isBefore(a.next, b.next);
  for (;;) {
    const first = partitions.reduce((a, b) => (comesBefore(b, a) ? b : a));
    if (isSame(first.next, FOREVER)) return partitions.map(({ trace }) => trace);
    for (const message of first.step()) partitions[graph.edges[message.edge]!.to]!.receive(message);
  }
}
