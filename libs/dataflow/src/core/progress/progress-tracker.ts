import { FOREVER, isBefore, isSame, NEVER, START, type Tag } from '../time/tag.js';
import { formatTag } from '../time/format-tag.js';
import { Horizons } from './horizons.js';
import { MessagesInFlight } from './messages-in-flight.js';
import { MinTree } from './min-tree.js';
import { findZeroDelayCycle, type PartitionEdge } from './partition-edge.js';
import { ProgressReportError } from './progress-report.error.js';
import { ZeroDelayPartitionError } from './zero-delay-partition.error.js';

/** A message: its edge, and the tag with which it arrives. */
export type EdgeTag = readonly [edge: number, tag: Tag];

/** What a partition says after some work, in one message. */
export interface Report {
  readonly partition: number;
  /** Tag of the next event that it knows of, FOREVER if there is none. Until its first report this is the start. */
  readonly net: Tag;
  /** What it has sent since its last report, in order on each edge. */
  readonly sent: readonly EdgeTag[];
  /**
   * The last message it has received, for edges where that is another than in its last report; FOREVER for an edge that
   * has broken for good, so that nobody waits for what was lost on it.
   */
  readonly got: readonly EdgeTag[];
}

/** A partition may handle every tag before `bound`, once it has received on each edge of `need` at least that message. */
export interface Grant {
  readonly partition: number;
  readonly bound: Tag;
  readonly need: readonly EdgeTag[];
}

/** In the tree of a partition's events: its own next one. The messages on their way to it follow, one slot per edge. */
const NET = 0;

/**
 * Knows from the reports of all partitions how far each may go without being overtaken by a message. Reports of one
 * partition must come in order; those of several may come in any order, so that a message may be reported as received
 * before it is reported as sent.
 *
 * A partition need not report what it received before it has done something with it: it counts as well on its way. A
 * report costs what it changes, not what there is.
 */
export class ProgressTracker {
  readonly #edges: readonly PartitionEdge[];
  readonly #horizons: Horizons;
  readonly #inFlight: MessagesInFlight[];
  /** Per partition the tags of what it has before it. */
  readonly #events: MinTree[];
  /** Per edge its slot there. */
  readonly #slots: number[];
  readonly #edgesInto: number[][];
  /** Per partition the earliest tag of what it has before it. */
  readonly #next: MinTree;
  readonly #granted: Tag[];
  readonly #silent: Set<number>;
  readonly #removed = new Set<number>();

  /** @throws ZeroDelayPartitionError */
  constructor(
    readonly partitions: number,
    edges: readonly PartitionEdge[],
    startTag: Tag = START,
  ) {
    const cycle = findZeroDelayCycle(partitions, edges);
    if (cycle) throw new ZeroDelayPartitionError(cycle);
    this.#edges = edges;
    this.#horizons = new Horizons(partitions, edges, startTag);
    this.#inFlight = edges.map(() => new MessagesInFlight());
    this.#edgesInto = Array.from({ length: partitions }, () => []);
    this.#slots = edges.map(({ to }, edge) => this.#edgesInto[to]!.push(edge));
    this.#events = this.#edgesInto.map(({ length }) => new MinTree(1 + length));
    for (const events of this.#events) events.set(NET, startTag);
    this.#next = new MinTree(partitions, startTag);
    this.#granted = new Array<Tag>(partitions).fill(NEVER);
    this.#silent = new Set(this.#granted.keys());
  }

  /**
   * @returns the grants that have become due, at most one per partition: to those that have something to do which is
   *   before their bound and which no earlier grant allows. A partition gets none before its first report
   * @throws ProgressReportError when the report names what is not the partition's
   */
  report({ partition, net, sent, got }: Report): Grant[] {
    this.#check(partition, sent, got);
    if (this.#removed.has(partition)) return [];
    this.#silent.delete(partition);
    const concerned = new Set([partition]);
    this.#events[partition]!.set(NET, net);
    for (const [edge, tag] of got) {
      this.#inFlight[edge]!.got(tag);
      this.#refresh(edge);
    }
    for (const [edge, tag] of sent) {
      const { to } = this.#edges[edge]!;
      if (this.#removed.has(to)) continue;
      this.#inFlight[edge]!.sent(tag);
      this.#refresh(edge);
      concerned.add(to);
    }
    return this.#advance(concerned);
  }

  /**
   * The partition is gone for good: it will do nothing more, what was sent to it counts no longer, and its later reports
   * are ignored. What it has sent itself, as far as reported, still arrives.
   *
   * @returns the grants that have become due by it
   */
  remove(partition: number): Grant[] {
    if (this.#removed.has(partition)) return [];
    this.#removed.add(partition);
    this.#silent.delete(partition);
    this.#events[partition] = new MinTree(1);
    this.#horizons.cutOff(partition);
    return this.#advance(new Set([partition]));
  }

  /** The earliest of its own next event and of the messages on their way to it: what it will handle next. */
  effNET(partition: number): Tag {
    return this.#next.get(partition);
  }

  /** The earliest tag that may still be sent to it. It may handle everything before that. */
  bound(partition: number): Tag {
    return this.#horizons.bound(partition);
  }

  /** Nobody has anything to do, and nothing is on its way. */
  get isComplete(): boolean {
    return isSame(this.#next.least, FOREVER);
  }

  /** Nothing is on its way. */
  get isQuiet(): boolean {
    return this.#inFlight.every(({ first }) => isSame(first, FOREVER));
  }

  /** What it has last been granted. */
  lastGrant(partition: number): Grant {
    return { partition, bound: this.#granted[partition]!, need: [] };
  }

  /** By edge the last tag that it has reported as sent. */
  lastSent(partition: number): EdgeTag[] {
    return [...this.#edges.entries()]
      .filter(([, { from }]) => from === partition)
      .map(([edge]) => [edge, this.#inFlight[edge]!.lastSent]);
  }

  /** It has nothing to do, and nothing can reach it any more. */
  isDone(partition: number): boolean {
    return isSame(this.effNET(partition), FOREVER) && isSame(this.bound(partition), FOREVER);
  }

  /** Nobody has anything to do before what this one will handle next. */
  isEarliest(partition: number): boolean {
    return !isBefore(this.#next.least, this.effNET(partition));
  }

  /**
   * If the partition has something to do and may not: the partitions whose own next event holds it back, directly or
   * through others. Messages on their way may hold it back as well; those come to an end by themselves.
   */
  blockers(partition: number): number[] {
    const next = this.effNET(partition);
    if (isSame(next, FOREVER) || isBefore(next, this.bound(partition))) return [];
    const holders = new Set(this.#horizons.holders(partition));
    for (const holder of holders) {
      if (!isSame(this.bound(holder), this.#horizons.horizon(holder))) continue;
      for (const further of this.#horizons.holders(holder)) holders.add(further);
    }
    return [...holders].filter((holder) => isSame(this.#events[holder]!.get(NET), this.#horizons.horizon(holder)));
  }

  /** What all reports so far have cost. @internal */
  get steps(): number {
    return this.#events.reduce((sum, { steps }) => sum + steps, this.#next.steps + this.#horizons.steps);
  }

  #check(partition: number, sent: readonly EdgeTag[], got: readonly EdgeTag[]): void {
    if (!this.#events[partition]) {
      throw new ProgressReportError(partition, 'names a partition that does not exist');
    }
    const last = new Map<number, Tag>();
    for (const [edge, tag] of sent) {
      if (this.#edges[edge]?.from !== partition) {
        throw new ProgressReportError(
          partition,
          `lists a message sent on edge ${edge}, which is not one of its outgoing edges`,
        );
      }
      const previous = last.get(edge) ?? this.#inFlight[edge]!.lastSent;
      if (!isBefore(previous, tag)) {
        const order = `${formatTag(tag)} after ${formatTag(previous)}`;
        throw new ProgressReportError(
          partition,
          `lists a message sent on edge ${edge} at ${order}, but tags must increase`,
        );
      }
      last.set(edge, tag);
    }
    for (const [edge] of got) {
      if (this.#edges[edge]?.to === partition) continue;
      throw new ProgressReportError(
        partition,
        `lists a message received on edge ${edge}, which is not one of its incoming edges`,
      );
    }
  }

  #refresh(edge: number): void {
    this.#events[this.#edges[edge]!.to]!.set(this.#slots[edge]!, this.#inFlight[edge]!.first);
  }

  #advance(concerned: Set<number>): Grant[] {
    for (const partition of concerned) {
      const next = this.#events[partition]!.least;
      this.#next.set(partition, next);
      this.#horizons.set(partition, next);
    }
    for (const partition of this.#horizons.settle()) concerned.add(partition);
    return [...concerned].filter((partition) => this.#isDue(partition)).map((partition) => this.#grant(partition));
  }

  #isDue(partition: number): boolean {
    const next = this.effNET(partition);
    if (this.#silent.has(partition) || isBefore(next, this.#granted[partition]!)) return false;
    return isBefore(next, this.bound(partition));
  }

  #grant(partition: number): Grant {
    const bound = this.bound(partition);
    this.#granted[partition] = bound;
    const need: EdgeTag[] = [];
    for (const slot of this.#events[partition]!.slotsBefore(bound)) {
      if (slot === NET) continue;
      const edge = this.#edgesInto[partition]![slot - 1]!;
      need.push([edge, this.#inFlight[edge]!.lastBefore(bound)]);
    }
    return { partition, bound, need };
  }
}
