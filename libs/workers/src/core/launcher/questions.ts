import { deferred } from '@roost/kernel';
import { type Clock, settlesWithin } from '@roost/time';
import { type ChildReport, isOurs, type ToPrimary } from '../child/protocol.js';

/** Asks a child for a report, and waits for the answer. */
export class Questions {
  readonly #open = new Map<number, (answer: ChildReport) => void>();
  #lastId = 0;

  constructor(private readonly clock: Clock) {}

  /** @returns undefined when no answer comes in time */
  async ask(send: (id: number) => void, limitMs: number): Promise<ChildReport | undefined> {
    const id = ++this.#lastId;
    const answer = deferred<ChildReport>();
    this.#open.set(id, answer.resolve);
    send(id);
    const isInTime = await settlesWithin(answer.promise, limitMs, this.clock);
    this.#open.delete(id);
    return isInTime ? answer.promise : undefined;
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
