import { type Delay, FOREVER, earlierOf, isBefore, isSame, nextMicrostep, plus, type Tag } from '../time/tag.js';
import { MinTree } from './min-tree.js';
import type { PartitionEdge } from './partition-edge.js';

/** An edge as its sender sees it. */
interface Way {
  readonly to: number;
  readonly delay: Delay;
  /** Its place among what comes in at the receiver. */
  readonly slot: number;
}

/**
 * How far each partition of a graph is. The **horizon** of a partition is the earliest tag that it may still handle: that
 * of its own next event, or its bound if this is earlier. Its **bound** is the earliest tag that may still arrive: the
 * least, over the edges into it, of the sender's horizon plus the delay; FOREVER without such edges.
 *
 * A change costs what it changes: it is a shortest-path problem, solved again only for the partitions whose horizon is
 * another one. It counts on every cycle having a delay: no horizon can then be its own cause.
 */
export class Horizons {
  readonly #own: Tag[];
  readonly #horizons: Tag[];
  /** Per partition the earliest tag that each edge into it may still bring. */
  readonly #incoming: MinTree[];
  /** Per partition where the edges into it come from, by slot. */
  readonly #senders: number[][];
  readonly #ways: Way[][];
  /** Partitions whose horizon is later than it should be, with what it should be. */
  readonly #settling: MinTree;
  readonly #changed: number[] = [];
  #boundsChanged = new Set<number>();

  /** Every partition has an event at `start`. */
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

  /** The senders that are the reason why the bound of a partition is not later; it must not be FOREVER. */
  holders(partition: number): number[] {
    const slots = this.#incoming[partition]!.slotsBefore(nextMicrostep(this.bound(partition)));
    return slots.map((slot) => this.#senders[partition]![slot]!);
  }

  /** A partition has another next event. Takes effect with `settle()`. */
  set(partition: number, own: Tag): void {
    this.#own[partition] = own;
    this.#changed.push(partition);
  }

  /** Nothing reaches the partition any more. Takes effect with `settle()`. */
  cutOff(partition: number): void {
    for (const sender of new Set(this.#senders[partition])) {
      this.#ways[sender] = this.#ways[sender]!.filter(({ to }) => to !== partition);
    }
    this.#senders[partition] = [];
    this.#incoming[partition] = new MinTree(0);
    this.#changed.push(partition);
  }

  /** Brings all horizons up to date. @returns all partitions whose bound has changed, and maybe others */
  settle(): Set<number> {
    this.#forgetUnsupported();
    this.#settleEarliestFirst();
    const boundsChanged = this.#boundsChanged;
    this.#boundsChanged = new Set();
    return boundsChanged;
  }

  /** What all changes so far have cost. @internal */
  get steps(): number {
    return this.#incoming.reduce((sum, { steps }) => sum + steps, this.#settling.steps);
  }

  /**
   * A horizon that no event and no other horizon accounts for any more is wrong, and so is each that only wrong ones
   * account for. To forget them all first keeps those on a cycle from raising each other by one delay at a time.
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

  /** No later one can change the earliest, so that each is settled once. */
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
