import type { Clock } from '@roost/time';
import { type ChildReport, isOurs, type ToPrimary } from '../child/protocol.js';
import { within } from './within.js';

/** Asks a child for a report, and waits for the answer. */
export class Questions {
  readonly #open = new Map<number, (answer: ChildReport) => void>();
  #lastId = 0;

  constructor(private readonly clock: Clock) {}

  /** @returns undefined when no answer comes in time */
  async ask(send: (id: number) => void, limitMs: number): Promise<ChildReport | undefined> {
    const id = ++this.#lastId;
    const answer = new Promise<ChildReport>((resolve) => this.#open.set(id, resolve));
    send(id);
    try {
      return await within(this.clock, limitMs, answer);
    } finally {
      this.#open.delete(id);
    }
  }

  /** Whatever a child has sent. @returns true for the word that it is ready */
  receive(message: unknown): boolean {
    if (!isOurs(message)) return false;
    const word = message as ToPrimary;
    if (word.roost === 'status') {
      const { id, isManaged, inFlight } = word;
      this.#open.get(id)?.({
        isManaged: isManaged === true,
        ...(Number.isFinite(inFlight) && { inFlight: inFlight! }),
      });
    }
    return word.roost === 'ready';
  }
}
