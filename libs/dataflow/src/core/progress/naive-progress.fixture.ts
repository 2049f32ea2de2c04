import { earlierOf, FOREVER, isBefore, isSame, laterOf, NEVER, plus, START, type Tag } from '../time/tag.js';
import type { PartitionEdge } from './partition-edge.js';
import type { EdgeTag, Grant, Report } from './progress-tracker.js';

const earliest = (tags: readonly Tag[]): Tag => tags.reduce(earlierOf, FOREVER);

/** A naive ProgressTracker that recomputes everything from all reports so far. */
export class NaiveProgress {
  readonly #net: (Tag | undefined)[];
  readonly #sent: Tag[][];
  readonly #got: Tag[];
  readonly #granted: Tag[];
  readonly #removed = new Set<number>();

  constructor(
    readonly partitions: number,
    readonly edges: readonly PartitionEdge[],
    readonly startTag: Tag = START,
  ) {
    this.#net = new Array<Tag | undefined>(partitions).fill(undefined);
    this.#sent = edges.map(() => []);
    this.#got = edges.map(() => NEVER);
    this.#granted = new Array<Tag>(partitions).fill(NEVER);
  }

  report({ partition, net, sent, got }: Report): Grant[] {
    if (this.#removed.has(partition)) return [];
    this.#net[partition] = net;
    for (const [edge, tag] of sent) this.#sent[edge]!.push(tag);
    for (const [edge, tag] of got) this.#got[edge] = laterOf(this.#got[edge]!, tag);
    return this.#grants();
  }

  remove(partition: number): Grant[] {
    this.#removed.add(partition);
    return this.#grants();
  }

  effNET(partition: number): Tag {
    if (this.#removed.has(partition)) return FOREVER;
    const onTheirWay = this.edges.flatMap(({ to }, edge) => (to === partition ? this.inFlight(edge) : []));
    return earlierOf(this.net(partition), earliest(onTheirWay));
  }

  /** Lowers all bounds from FOREVER until nothing changes. */
  bounds(): Tag[] {
    const next = Array.from({ length: this.partitions }, (_, partition) => this.effNET(partition));
    let bounds = next.map(() => FOREVER);
    for (;;) {
      const lower = bounds.map((_, partition) => this.#least(partition, next, bounds));
      if (lower.every((tag, partition) => isSame(tag, bounds[partition]!))) return bounds;
      bounds = lower;
    }
  }

  net(partition: number): Tag {
    return this.#net[partition] ?? this.startTag;
  }

  inFlight(edge: number): Tag[] {
    return this.#sent[edge]!.filter((tag) => isBefore(this.#got[edge]!, tag));
  }

  /** Returns the partitions whose next event alone explains the bound of a partition. */
  blockers(partition: number): number[] {
    const next = this.effNET(partition);
    const bound = this.bounds()[partition]!;
    if (isSame(next, FOREVER) || isBefore(next, bound)) return [];
    const all = Array.from({ length: this.partitions }, (_, index) => index);
    return all.filter((other) => {
      if (this.#removed.has(other)) return false;
      const alone = new NaiveProgress(this.partitions, this.#liveEdges());
      for (const one of all) alone.#net[one] = one === other ? this.net(one) : FOREVER;
      return isSame(alone.bounds()[partition]!, bound);
    });
  }

  #liveEdges(): PartitionEdge[] {
    return this.edges.filter(({ to }) => !this.#removed.has(to));
  }

  #least(partition: number, next: readonly Tag[], bounds: readonly Tag[]): Tag {
    const ways = this.#liveEdges().filter(({ to }) => to === partition);
    return earliest(
      ways.map(({ from, delay }) => {
        const horizon = earlierOf(next[from]!, bounds[from]!);
        return isSame(horizon, FOREVER) ? FOREVER : plus(horizon, delay);
      }),
    );
  }

  #grants(): Grant[] {
    return this.bounds().flatMap((bound, partition) => {
      const next = this.effNET(partition);
      const isUseful = isBefore(next, bound) && !isBefore(next, this.#granted[partition]!);
      if (!isUseful || this.#net[partition] === undefined || this.#removed.has(partition)) return [];
      this.#granted[partition] = bound;
      const need = this.edges.flatMap(({ to }, edge): EdgeTag[] => {
        const before = to === partition ? this.inFlight(edge).filter((tag) => isBefore(tag, bound)) : [];
        return before.length > 0 ? [[edge, before.at(-1)!]] : [];
      });
      return [{ partition, bound, need }];
    });
  }
}

/** Sorts grants and their needs by index, to compare them. */
export const inOrder = (grants: readonly Grant[]): Grant[] =>
  grants
    .map((grant) => ({ ...grant, need: grant.need.toSorted(([a], [b]) => a - b) }))
    .toSorted((a, b) => a.partition - b.partition);
