import { earlierOf, FOREVER, isBefore, laterOf, NEVER, type Tag } from '../time/tag.js';

/** All present partitions are asked how soon they can stop: not before `tag`. */
export interface StopQuestion {
  readonly round: number;
  readonly tag: Tag;
}

/** What to tell all partitions: a question, or at which tag they stop. */
export type StopMessage = { readonly ask: StopQuestion } | { readonly grant: Tag };

/**
 * Finds the tag at which all partitions stop. A request opens a round: every present partition is asked, answers with the
 * later of the proposal and the first tag that it has not begun, and begins none from its answer on until it is told the
 * outcome. The latest answer is granted, so that nobody has gone past it. Requests during a round join it, and the latest
 * of them counts.
 *
 * The stop tag never becomes later. A request for a later one changes nothing; one for an earlier tag opens another round,
 * so that a stop in the far future does not keep anybody from stopping now.
 *
 * It does not watch the time: who waits too long for the answers of `waitingFor` has to force the stop.
 */
export class StopNegotiation {
  readonly #present: Set<number>;
  readonly #waitingFor = new Set<number>();
  readonly #requestedBy = new Set<string>();
  #round = 0;
  /** What the round comes to, as far as known: the latest of its requests and answers. */
  #latest = NEVER;
  /** How far those have gone who have left. */
  #goneTo = NEVER;
  #granted = FOREVER;

  /**
   * @param partitions how many there are
   * @param planned a stop tag that every partition knows from the start, so that nobody needs to be asked
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

  /** Where all stop, as far as decided: the earliest of what was planned and what was granted, FOREVER without either. */
  get stopTag(): Tag {
    return earlierOf(this.planned, this.#granted);
  }

  /** Who has to answer before the round ends. */
  get waitingFor(): readonly number[] {
    return [...this.#waitingFor];
  }

  /** Whose requests have opened or joined a round. */
  get requestedBy(): readonly string[] {
    return [...this.#requestedBy];
  }

  /** @returns the question to ask; the grant if there is nobody to ask; nothing if it joins a round or changes nothing */
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

  /** An answer to another round, or a second one, is ignored. @returns the grant if it was the last */
  answer(round: number, partition: number, tag: Tag): StopMessage | undefined {
    if (round !== this.#round || !this.#waitingFor.delete(partition)) return undefined;
    this.#latest = laterOf(this.#latest, tag);
    return this.#outcome();
  }

  /**
   * The partition is not asked any more. What it has done counts: nothing is granted before `notBegun`, the first tag that
   * it has not begun.
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
