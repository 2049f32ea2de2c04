import { type Clock, settlesWithin } from '@roost/time';
import { type AnyResponse, isHttp1 } from './server.js';

/**
 * Responses to requests that arrived after the drain started to refuse work: the refusals, and responses of exempt
 * routes. They do not count as in-flight work and delay the end of the drain only briefly.
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

  /** @returns false when the response is not a late one, or has already ended */
  delete(response: AnyResponse): boolean {
    if (!this.#open.delete(response)) return false;
    if (this.#open.size === 0) this.#onNone();
    return true;
  }

  /** Waits up to `limitMs` for all late responses to end, then destroys the remaining HTTP/2 streams. */
  async settle(limitMs: number, clock: Clock): Promise<void> {
    if (this.#open.size > 0) {
      await settlesWithin(new Promise<void>((resolve) => (this.#onNone = resolve)), limitMs, clock);
    }
    // HTTP/1 responses end with their connections. A stream would keep a session open that other streams still use.
    for (const response of this.#open) if (!isHttp1(response)) response.stream.destroy();
  }
}
