import type { AnyResponse } from './server.js';

/** A request whose response is not complete. */
export interface RequestInFlight {
  readonly response: AnyResponse;
  /** Monotonic arrival time in ms. */
  readonly startedAt: number;
  /** Sequence number of the arrival, for sorting. */
  readonly order: number;
  /** Current index in the list. */
  slot: number;
}

const ENTRY = Symbol('roost:drain:request');
type Tracked = AnyResponse & { [ENTRY]?: RequestInFlight | undefined };

/**
 * The requests of a server whose responses are not complete. It is a list with a mark on each response, because it runs
 * for every request: a Map would have to hash each response, which costs four times as much.
 */
export class RequestsInFlight {
  readonly #entries: RequestInFlight[] = [];
  #order = 0;

  has(response: AnyResponse): boolean {
    return (response as Tracked)[ENTRY] !== undefined;
  }

  add(response: AnyResponse, startedAt: number): void {
    const entry: RequestInFlight = { response, startedAt, order: this.#order++, slot: this.#entries.length };
    this.#entries.push(entry);
    (response as Tracked)[ENTRY] = entry;
  }

  /** @returns false when the response is not, or no longer, in the list */
  delete(response: AnyResponse): boolean {
    const entry = (response as Tracked)[ENTRY];
    if (!entry) return false;
    (response as Tracked)[ENTRY] = undefined;
    const last = this.#entries.pop()!;
    if (last !== entry) {
      this.#entries[entry.slot] = last;
      last.slot = entry.slot;
    }
    return true;
  }

  /** Returns the requests in order of arrival. */
  inOrder(): RequestInFlight[] {
    return this.#entries.toSorted((a, b) => a.order - b.order);
  }
}
