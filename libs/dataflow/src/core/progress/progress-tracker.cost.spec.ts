import { FOREVER, NO_DELAY, ONE_MICROSTEP, START, type Tag } from '../time/tag.js';
import { at } from './graphs.fixture.js';
import type { PartitionEdge } from './partition-edge.js';
import { type EdgeTag, ProgressTracker } from './progress-tracker.js';

const ROUNDS = 5;

/** Measures the average cost of the reports of a script. */
class Meter {
  readonly #tracker: ProgressTracker;
  readonly #before: number;
  #reports = 0;

  /** @param first the first event of each partition */
  constructor(edges: readonly PartitionEdge[], first: readonly Tag[]) {
    this.#tracker = new ProgressTracker(first.length, edges);
    for (const [partition, net] of first.entries()) this.#tracker.report({ partition, net, sent: [], got: [] });
    this.#before = this.#tracker.steps;
  }

  report(partition: number, net: Tag, sent: EdgeTag[], got: EdgeTag[]): void {
    this.#tracker.report({ partition, net, sent, got });
    this.#reports++;
  }

  get stepsPerReport(): number {
    return (this.#tracker.steps - this.#before) / this.#reports;
  }
}

const list = <T>(size: number, make: (index: number) => T): T[] =>
  Array.from({ length: size }, (_, index) => make(index));
const onlyTheFirst = (size: number): Tag[] => list(size, (index) => (index === 0 ? START : FOREVER));

/** A message circulates in a ring. */
const ring = (size: number): number => {
  const edges = list(size, (from): PartitionEdge => {
    const to = (from + 1) % size;
    return { from, to, delay: to === 0 ? ONE_MICROSTEP : NO_DELAY };
  });
  const meter = new Meter(edges, onlyTheFirst(size));
  for (let round = 0; round < ROUNDS; round++) {
    for (let index = 0; index < size; index++) {
      const sent = at(0, index === size - 1 ? round + 1 : round);
      const got: EdgeTag[] = [[(index + size - 1) % size, at(0, round)]];
      meter.report(index, FOREVER, [[index, sent]], round + index > 0 ? got : []);
    }
  }
  return meter.stepsPerReport;
};

/** Each partition forwards its input, tag after tag. */
const chain = (size: number): number => {
  const edges = list(size - 1, (from) => ({ from, to: from + 1, delay: NO_DELAY }));
  const meter = new Meter(edges, onlyTheFirst(size));
  for (let round = 0; round < ROUNDS; round++) {
    const tag = at(round);
    meter.report(0, at(round + 1), [[0, tag]], []);
    for (let index = 1; index < size; index++) {
      meter.report(index, FOREVER, index < size - 1 ? [[index, tag]] : [], [[index - 1, tag]]);
    }
  }
  return meter.stepsPerReport;
};

/** Many partitions send to one at different times, so that with every report another one holds it up. */
const join = (size: number): number => {
  const edges = list(size - 1, (index) => ({ from: index + 1, to: 0, delay: NO_DELAY }));
  const first = list(size, (index) => (index === 0 ? FOREVER : at(index)));
  const meter = new Meter(edges, first);
  for (let round = 0; round < ROUNDS; round++) {
    for (let index = 1; index < size; index++) {
      const time = round * size + index;
      meter.report(index, at(time + size), [[index - 1, at(time)]], []);
      meter.report(0, FOREVER, [], [[index - 1, at(time)]]);
    }
  }
  return meter.stepsPerReport;
};

/** One partition sends to many. */
const star = (size: number): number => {
  const edges = list(size - 1, (index) => ({ from: 0, to: index + 1, delay: NO_DELAY }));
  const meter = new Meter(edges, onlyTheFirst(size));
  for (let round = 0; round < ROUNDS; round++) {
    const sent = edges.map((_, edge): EdgeTag => [edge, at(round)]);
    meter.report(0, at(round + 1), sent, []);
    for (const message of sent) meter.report(message[0] + 1, FOREVER, [], [message]);
  }
  return meter.stepsPerReport;
};

describe('cost of a report', () => {
  it.each(Object.entries({ ring, chain, join, star }))(
    'grows at most logarithmically with the size of a %s',
    (_, shape) => {
      const few = shape(100);
      const many = shape(1_000);
      expect(many).toBeLessThan(1.5 * few);
      expect(many).toBeLessThan(70);
    },
  );
});
