import { type Clock, settlesWithin } from '@roost/time';
import { type AnyResponse, isHttp1 } from './server.js';

/**
 * Responses to requests that arrived when new ones were already refused: the refusals, and the answers of exempt routes.
 * They do not count as work in flight, and hold the end of the drain for a moment only.
 */
export class LateResponses {
  readonly #open = new Set<AnyResponse>();
  #onNone: () => void = () => undefined;

  has(response: AnyResponse): boolean {
    return this.#open.has(response);
  }

  add(response: AnyResponse): void {
    this.#open.add(response);
  }

  /** @returns false when the response is not a late one, or has ended before */
  delete(response: AnyResponse): boolean {
    if (!this.#open.delete(response)) return false;
    if (this.#open.size === 0) this.#onNone();
    return true;
  }

  /** Waits up to `limitMs` for all of them to end, then destroys the HTTP/2 streams that are left. */
  async settle(limitMs: number, clock: Clock): Promise<void> {
    if (this.#open.size > 0) {
      await settlesWithin(new Promise<void>((resolve) => (this.#onNone = resolve)), limitMs, clock);
    }
    // Responses of HTTP/1 end with their connections. A stream would hold a session that others still use.
    for (const response of this.#open) if (!isHttp1(response)) response.stream.destroy();
  }
}
