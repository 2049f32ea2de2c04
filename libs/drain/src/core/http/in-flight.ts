import type { AnyResponse } from './server.js';

/** A response that is not complete. */
export interface Entry {
  readonly response: AnyResponse;
  readonly startedAt: number;
  /** Grows with each request. */
  readonly order: number;
  /** Where it is in the list. */
  slot: number;
}

const ENTRY = Symbol('roost:in-flight');
type Tracked = AnyResponse & { [ENTRY]?: Entry | undefined };

/**
 * The responses of a server that are not complete. A list with a mark on each response, because this is on the path of
 * every request: a Map would have to hash each response, which alone costs four times as much.
 */
export class InFlight {
  readonly #entries: Entry[] = [];
  #order = 0;

  has(response: AnyResponse): boolean {
    return (response as Tracked)[ENTRY] !== undefined;
  }

  add(response: AnyResponse, startedAt: number): void {
    const entry: Entry = { response, startedAt, order: this.#order++, slot: this.#entries.length };
    this.#entries.push(entry);
    (response as Tracked)[ENTRY] = entry;
  }

  /** False when it was not in the list, or not any more. */
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

  /** In the order in which the requests came. */
  inOrder(): Entry[] {
    return this.#entries.toSorted((a, b) => a.order - b.order);
  }
}
