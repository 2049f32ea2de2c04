import { FOREVER, isBefore, isSame, NEVER, START, type Tag } from '../time/tag.js';
import { formatTag } from '../time/format-tag.js';
import { Horizons } from './horizons.js';
import { MessagesInFlight } from './messages-in-flight.js';
import { MinTree } from './min-tree.js';
import { findZeroDelayCycle, type PartitionEdge } from './partition-edge.js';
import { ProgressReportError } from './progress-report.error.js';
import { ZeroDelayPartitionError } from './zero-delay-partition.error.js';

/** A message: its edge, and the tag at which it arrives. */
export type EdgeTag = readonly [edge: number, tag: Tag];

/** Progress of a partition since its last report, in one message. */
export interface Report {
  readonly partition: number;
  /** Tag of its next known event. FOREVER if there is none. Until its first report, it counts as the start. */
  readonly net: Tag;
  /** Messages sent since its last report, in order on each edge. */
  readonly sent: readonly EdgeTag[];
  /**
   * The last received message on each edge where it has changed since the last report. FOREVER for an edge that is
   * broken for good, so that no partition waits for messages lost on it.
   */
  readonly got: readonly EdgeTag[];
}

/** Allows a partition to handle every tag before `bound`, once it has received at least the messages in `need`. */
export interface Grant {
  readonly partition: number;
  readonly bound: Tag;
  readonly need: readonly EdgeTag[];
}

/** Slot of the partition's own next event. The slots after it are for messages in flight, one per incoming edge. */
const NET = 0;

/**
 * Computes from the reports of all partitions how far each may go without being overtaken by a message. Reports of one
 * partition must arrive in order. Reports of different partitions may arrive in any order, so a message may be reported
 * as received before it is reported as sent.
 *
 * A partition need not report a received message before it has handled it: the message counts just as well while in
 * flight. The cost of a report depends on what it changes, not on the size of the graph.
 */
export class ProgressTracker {
  readonly #edges: readonly PartitionEdge[];
  readonly #horizons: Horizons;
  readonly #inFlight: MessagesInFlight[];
  /** Per partition, the tags of its next event and of the messages in flight to it. */
  readonly #events: MinTree[];
  /** Per edge, its slot in `#events` of the receiver. */
  readonly #slots: number[];
  readonly #edgesInto: number[][];
  /** Per partition, the earliest of these tags. */
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
   * Applies a report.
   *
   * @returns the grants that are now due, at most one per partition. A grant is due when a partition has an event
   * before its bound that no earlier grant covers. A partition gets none before its first report
   * @throws ProgressReportError when the report names an edge of another partition
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
   * Removes a partition for good. It has no next event, messages to it no longer count, and its later reports are
   * ignored. Messages that it has reported as sent still arrive.
   *
   * @returns the grants that are now due
   */
  remove(partition: number): Grant[] {
    if (this.#removed.has(partition)) return [];
    this.#removed.add(partition);
    this.#silent.delete(partition);
    this.#events[partition] = new MinTree(1);
    this.#horizons.cutOff(partition);
    return this.#advance(new Set([partition]));
  }

  /**
   * The tag that the partition will handle next: the earliest of its own next event and the messages in flight to it.
   */
  effNET(partition: number): Tag {
    return this.#next.get(partition);
  }

  /** The earliest tag that may still be sent to the partition. It may handle everything before. */
  bound(partition: number): Tag {
    return this.#horizons.bound(partition);
  }

  /** Whether no partition has an event and no message is in flight. */
  get isComplete(): boolean {
    return isSame(this.#next.least, FOREVER);
  }

  /** Whether no message is in flight. */
  get isQuiet(): boolean {
    return this.#inFlight.every(({ first }) => isSame(first, FOREVER));
  }

  /** Returns the last bound granted to the partition, without needed messages. */
  lastGrant(partition: number): Grant {
    return { partition, bound: this.#granted[partition]!, need: [] };
  }

  /** Returns the last tag that the partition has reported as sent, by edge. */
  lastSent(partition: number): EdgeTag[] {
    return [...this.#edges.entries()]
      .filter(([, { from }]) => from === partition)
      .map(([edge]) => [edge, this.#inFlight[edge]!.lastSent]);
  }

  /** Whether the partition has no event and no message can reach it any longer. */
  isDone(partition: number): boolean {
    return isSame(this.effNET(partition), FOREVER) && isSame(this.bound(partition), FOREVER);
  }

  /** Whether no partition has an event before the next one of this partition. */
  isEarliest(partition: number): boolean {
    return !isBefore(this.#next.least, this.effNET(partition));
  }

  /**
   * Returns the partitions whose own next event holds up this partition, directly or through others. Empty if it has no
   * event or may handle it. Messages in flight may hold it up too, but they arrive without further action.
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

  /** Number of steps that all reports have taken so far. @internal */
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
