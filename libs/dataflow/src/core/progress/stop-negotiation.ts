import { earlierOf, FOREVER, isBefore, laterOf, NEVER, type Tag } from '../time/tag.js';

/** Asks all present partitions how soon they can stop, but not before `tag`. */
export interface StopQuestion {
  readonly round: number;
  readonly tag: Tag;
}

/** Message to all partitions: a question, or the tag at which they stop. */
export type StopMessage = { readonly ask: StopQuestion } | { readonly grant: Tag };

/**
 * Finds the tag at which all partitions stop. A request opens a round. Every present partition answers with the later
 * of the proposal and the first tag that it has not begun. Until it learns the outcome, it begins no tag from its
 * answer on. The latest answer is granted, so no partition has gone past it. Requests during a round join it, and the
 * latest of them counts.
 *
 * The stop tag never becomes later. A request for a later tag changes nothing. A request for an earlier tag opens
 * another round, so a planned stop in the far future does not prevent a stop now.
 *
 * The negotiation has no timeout. Its owner must stop the run by force if the answers of `waitingFor` take too long.
 */
export class StopNegotiation {
  readonly #present: Set<number>;
  readonly #waitingFor = new Set<number>();
  readonly #requestedBy = new Set<string>();
  #round = 0;
  /** Outcome of the round so far: the latest of its requests and answers. */
  #latest = NEVER;
  /** The latest first tag not begun by a partition that has left. */
  #goneTo = NEVER;
  #granted = FOREVER;

  /**
   * @param partitions the number of partitions
   * @param planned a stop tag that every partition knows from the start, so no round is needed for it
   */
  constructor(
    partitions: number,
    private readonly planned: Tag = FOREVER,
  ) {
    this.#present = new Set(Array.from({ length: partitions }).keys());
  }

  get state(): 'idle' | 'asking' | 'granted' {
    if (this.#waitingFor.size > 0) return 'asking';
    return isBefore(this.#granted, FOREVER) ? 'granted' : 'idle';
  }

  /** The stop tag decided so far: the earlier of the planned and the granted one. FOREVER without either. */
  get stopTag(): Tag {
    return earlierOf(this.planned, this.#granted);
  }

  /** Partitions that must answer before the round ends. */
  get waitingFor(): readonly number[] {
    return [...this.#waitingFor];
  }

  /** Names of the processes whose requests have opened or joined a round. */
  get requestedBy(): readonly string[] {
    return [...this.#requestedBy];
  }

  /**
   * Requests a stop at the proposed tag.
   *
   * @returns the question to ask, or the grant if no partition is present, or nothing if the request joins a round or
   * changes nothing
   */
  request(proposal: Tag, by: string): StopMessage | undefined {
    if (!isBefore(proposal, this.stopTag)) return undefined;
    const isAsking = this.state === 'asking';
    this.#requestedBy.add(by);
    this.#latest = isAsking ? laterOf(this.#latest, proposal) : proposal;
    if (isAsking) return undefined;
    this.#round++;
    for (const partition of this.#present) this.#waitingFor.add(partition);
    return this.#outcome() ?? { ask: { round: this.#round, tag: proposal } };
  }

  /**
   * Records an answer. A repeated answer, or one to another round, is ignored.
   *
   * @returns the grant if this was the last answer
   */
  answer(round: number, partition: number, tag: Tag): StopMessage | undefined {
    if (round !== this.#round || !this.#waitingFor.delete(partition)) return undefined;
    this.#latest = laterOf(this.#latest, tag);
    return this.#outcome();
  }

  /**
   * Removes a partition, which is no longer asked. Its progress still counts: nothing is granted before `notBegun`, the
   * first tag that it has not begun.
   *
   * @returns the grant if only its answer was missing
   */
  leave(partition: number, notBegun: Tag): StopMessage | undefined {
    if (this.#present.delete(partition)) this.#goneTo = laterOf(this.#goneTo, notBegun);
    return this.#waitingFor.delete(partition) ? this.#outcome() : undefined;
  }

  #outcome(): StopMessage | undefined {
    if (this.#waitingFor.size > 0) return undefined;
    this.#granted = earlierOf(this.#granted, laterOf(this.#latest, this.#goneTo));
    return { grant: this.stopTag };
  }
}
