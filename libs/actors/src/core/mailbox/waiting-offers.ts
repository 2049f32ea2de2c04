import type { ActorCell } from '../cell/actor-cell.js';
import { typeOf } from '../type-of.js';
import { UndeliveredError } from '../errors/undelivered.error.js';
import { PoisonPill } from '../system-messages.js';

interface Offer {
  readonly message: unknown;
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
}

/** Messages that wait for room in a mailbox, in order of arrival. While any wait, no other message is admitted. */
export class WaitingOffers {
  readonly #waiting = new Set<Offer>();
  readonly #onChange: (waiting: number) => void;

  /** @param onChange called with the number of waiting offers whenever it may have changed */
  constructor(onChange: (waiting: number) => void) {
    this.#onChange = onChange;
  }

  get size(): number {
    return this.#waiting.size;
  }

  wait(message: unknown, { signal }: { signal?: AbortSignal }): Promise<void> {
    return new Promise((resolve, reject) => {
      signal?.throwIfAborted();
      const leave = (): void => signal?.removeEventListener('abort', onAbort);
      const offer: Offer = {
        message,
        resolve: () => (leave(), resolve()),
        reject: (error) => (leave(), reject(error)),
      };
      const onAbort = (): void => {
        this.#waiting.delete(offer);
        this.#onChange(this.size);
        reject(signal?.reason as Error);
      };
      signal?.addEventListener('abort', onAbort, { once: true });
      this.#waiting.add(offer);
      this.#onChange(this.size);
    });
  }

  /** Queues a `PoisonPill` behind the offers that already wait. */
  waitForEnd(): void {
    this.#waiting.add({ message: PoisonPill, resolve: () => undefined, reject: () => undefined });
  }

  /** Moves offers into the mailbox, as many as there is room for. */
  admit(room: number, push: (message: unknown) => void): void {
    for (const offer of this.#waiting) {
      if (offer.message !== PoisonPill && room-- <= 0) break;
      this.#waiting.delete(offer);
      push(offer.message);
      offer.resolve();
    }
    this.#onChange(this.size);
  }

  /** Rejects all offers because the actor has stopped. */
  refuseAll(cell: ActorCell): void {
    for (const { message, reject } of this.#waiting) {
      if (message === PoisonPill) continue;
      cell.deadLetter(message, undefined, 'stopped');
      reject(new UndeliveredError(cell.path, typeOf(message), 'stopped'));
    }
    this.#waiting.clear();
  }
}
