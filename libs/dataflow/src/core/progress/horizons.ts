import { type Delay, FOREVER, earlierOf, isBefore, isSame, nextMicrostep, plus, type Tag } from '../time/tag.js';
import { MinTree } from './min-tree.js';
import type { PartitionEdge } from './partition-edge.js';

/** An edge from the sender's point of view. */
interface Way {
  readonly to: number;
  readonly delay: Delay;
  /** Index among the incoming edges of the receiver. */
  readonly slot: number;
}

/**
 * Computes how far each partition of a graph can get. The **horizon** of a partition is the earliest tag that it may
 * still handle: the tag of its own next event, or its bound if that is earlier. Its **bound** is the earliest tag that
 * may still arrive: the minimum, over its incoming edges, of the sender's horizon plus the delay. Without incoming
 * edges it is FOREVER.
 *
 * An update costs only as much as it changes: this is a shortest-path problem, and it is solved again only for
 * partitions whose horizon changes. It relies on every cycle having a delay, so that no horizon depends on itself.
 */
export class Horizons {
  readonly #own: Tag[];
  readonly #horizons: Tag[];
  /** Per partition, the earliest tag that each incoming edge may still deliver. */
  readonly #incoming: MinTree[];
  /** Per partition, the senders of its incoming edges, by slot. */
  readonly #senders: number[][];
  readonly #ways: Way[][];
  /** The correct horizon of each partition whose current horizon is too late. */
  readonly #settling: MinTree;
  readonly #changed: number[] = [];
  #boundsChanged = new Set<number>();

  /** Assumes that every partition has an event at `start`. */
  constructor(partitions: number, edges: readonly PartitionEdge[], start: Tag) {
    const perPartition = <T>(make: () => T): T[] => Array.from({ length: partitions }, make);
    this.#own = perPartition(() => start);
    this.#horizons = perPartition(() => start);
    this.#senders = perPartition(() => []);
    this.#ways = perPartition(() => []);
    for (const { from, to, delay } of edges) {
      this.#ways[from]!.push({ to, delay, slot: this.#senders[to]!.length });
      this.#senders[to]!.push(from);
    }
    this.#incoming = this.#senders.map(({ length }) => new MinTree(length));
    this.#settling = new MinTree(partitions);
    for (const ways of this.#ways) for (const way of ways) this.#announce(start, way);
  }

  horizon(partition: number): Tag {
    return this.#horizons[partition]!;
  }

  bound(partition: number): Tag {
    return this.#incoming[partition]!.least;
  }

  /** Returns the senders that hold down the bound of a partition. The bound must not be FOREVER. */
  holders(partition: number): number[] {
    const slots = this.#incoming[partition]!.slotsBefore(nextMicrostep(this.bound(partition)));
    return slots.map((slot) => this.#senders[partition]![slot]!);
  }

  /** Sets the next event of a partition. Takes effect with `settle()`. */
  set(partition: number, own: Tag): void {
    this.#own[partition] = own;
    this.#changed.push(partition);
  }

  /** Removes all incoming edges of a partition. Takes effect with `settle()`. */
  cutOff(partition: number): void {
    for (const sender of new Set(this.#senders[partition])) {
      this.#ways[sender] = this.#ways[sender]!.filter(({ to }) => to !== partition);
    }
    this.#senders[partition] = [];
    this.#incoming[partition] = new MinTree(0);
    this.#changed.push(partition);
  }

  /** Updates all horizons. @returns all partitions whose bound has changed, and possibly others */
  settle(): Set<number> {
    this.#forgetUnsupported();
    this.#settleEarliestFirst();
    const boundsChanged = this.#boundsChanged;
    this.#boundsChanged = new Set();
    return boundsChanged;
  }

  /** Number of steps that all updates have taken so far. @internal */
  get steps(): number {
    return this.#incoming.reduce((sum, { steps }) => sum + steps, this.#settling.steps);
  }

  /**
   * Resets every horizon that is no longer supported by an event or by another supported horizon. Resetting all of them
   * first keeps the horizons on a cycle from raising each other by one delay at a time.
   */
  #forgetUnsupported(): void {
    const changed = this.#changed;
    for (let partition = changed.pop(); partition !== undefined; partition = changed.pop()) {
      if (isBefore(this.horizon(partition), this.#supported(partition))) {
        this.#horizons[partition] = FOREVER;
        for (const way of this.#ways[partition]!) {
          this.#announce(FOREVER, way);
          changed.push(way.to);
        }
      }
      this.#compare(partition);
    }
  }

  /** A later horizon cannot change the earliest one, so each partition is settled once. */
  #settleEarliestFirst(): void {
    const settling = this.#settling;
    while (isBefore(settling.least, FOREVER)) {
      const horizon = settling.least;
      const partition = settling.leastSlot;
      settling.set(partition, FOREVER);
      this.#horizons[partition] = horizon;
      for (const way of this.#ways[partition]!) {
        this.#announce(horizon, way);
        this.#compare(way.to);
      }
    }
  }

  #supported(partition: number): Tag {
    return earlierOf(this.#own[partition]!, this.bound(partition));
  }

  #compare(partition: number): void {
    const supported = this.#supported(partition);
    this.#settling.set(partition, isBefore(supported, this.horizon(partition)) ? supported : FOREVER);
  }

  #announce(horizon: Tag, { to, delay, slot }: Way): void {
    const arrival = isSame(horizon, FOREVER) ? FOREVER : plus(horizon, delay);
    if (this.#incoming[to]!.set(slot, arrival)) this.#boundsChanged.add(to);
  }
}
