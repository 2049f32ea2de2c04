import { deferred } from '@roost/kernel';
import { type Clock, settlesWithin } from '@roost/time';
import { type ChildReport, isOurs, type ToPrimary } from '../child/protocol.js';

/** Status requests to a child, and their answers. */
export class ReportRequests {
  readonly #open = new Map<number, (answer: ChildReport) => void>();
  #lastId = 0;

  constructor(private readonly clock: Clock) {}

  /** @returns undefined when no answer arrives in time */
  async ask(send: (id: number) => void, limitMs: number): Promise<ChildReport | undefined> {
    const id = ++this.#lastId;
    const answer = deferred<ChildReport>();
    this.#open.set(id, answer.resolve);
    send(id);
    const isInTime = await settlesWithin(answer.promise, limitMs, this.clock);
    this.#open.delete(id);
    return isInTime ? answer.promise : undefined;
  }

  /** Handles any message from a child. @returns true when the message says that the child is ready */
  receive(message: unknown): boolean {
    if (!isOurs(message)) return false;
    const received = message as ToPrimary;
    if (received.roost === 'status') {
      const { id, isManaged, inFlight } = received;
      this.#open.get(id)?.({
        isManaged: isManaged === true,
        ...(Number.isFinite(inFlight) && { inFlight: inFlight! }),
      });
    }
    return received.roost === 'ready';
  }
}
