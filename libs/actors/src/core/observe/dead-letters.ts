import type { RoostLogger } from '@roost/kernel';
import type { ActorRef } from '../actor-ref.js';
import { PendingAsk } from '../cell/ask.js';
import { deadLetterChannel } from './diagnostics.js';
import { typeOf } from '../type-of.js';
import { UndeliveredError } from '../errors/undelivered.error.js';
import type { EventStream } from './event-stream.js';

/** Why a message was not handled. @publicApi */
export type DeadLetterReason =
  /** The receiver had stopped, or stopped before it handled the message. */
  | 'stopped'
  /** The receiver returned `Behavior.unhandled()`, or has no handler for the message. */
  | 'unhandled'
  /** The mailbox was full, and this new message was dropped. */
  | 'mailbox-full'
  /** The mailbox was full, and this message was the oldest. */
  | 'dropped-oldest'
  /** A reply to an `ask` that had already settled: answered, timed out or aborted. */
  | 'late-reply'
  /** The router had no routees. */
  | 'no-routee'
  /** The function of a message adapter threw. */
  | 'adapter-failed';

/**
 * A message that was not handled. Published on the system's event stream.
 *
 * @example
 * ```ts
 * import { ActorSystem } from '@roost/actors';
 *
 * const system = new ActorSystem();
 * system.deadLetters$.subscribe(({ recipient, reason }) => {
 *   console.warn(`dead letter for ${recipient}: ${reason}`);
 * });
 * ```
 *
 * @publicApi
 */
export class DeadLetter {
  constructor(
    readonly message: unknown,
    /** Path of the intended receiver. */
    readonly recipient: string,
    /** The sender passed to `tell(message, sender)`, or the reply address of an `ask`. */
    readonly sender: ActorRef<never> | undefined,
    readonly reason: DeadLetterReason,
  ) {}
}

/** Counts the dead letters of a system, keeps the most recent ones, and publishes and logs them. */
export class DeadLetters {
  count = 0;
  readonly #recent: DeadLetter[] = [];
  #next = 0;

  constructor(
    private readonly capacity: number,
    private readonly logged: number,
    private readonly events: EventStream,
    private readonly logger: RoostLogger,
  ) {}

  /** The most recent dead letters, oldest first. */
  recent(): DeadLetter[] {
    return [...this.#recent.slice(this.#next), ...this.#recent.slice(0, this.#next)];
  }

  /** @param replyTo reply address of the message; an `ask` rejects at once */
  add(message: unknown, replyTo: unknown, recipient: string, reason: DeadLetterReason): void {
    this.count++;
    const sender = replyTo as ActorRef<never> | undefined;
    const letter = new DeadLetter(message, recipient, sender, reason);
    this.#keep(letter);
    if (this.count <= this.logged) this.#log(letter);
    // Publishing this to a subscriber that rejected a dead letter would create another one, endlessly.
    if (message instanceof DeadLetter) this.events.show(letter);
    else this.events.publish(letter);
    if (deadLetterChannel.hasSubscribers) deadLetterChannel.publish(letter);
    if (replyTo instanceof PendingAsk) replyTo.fail(new UndeliveredError(recipient, typeOf(message), reason));
  }

  #keep(letter: DeadLetter): void {
    if (this.capacity === 0) return;
    this.#recent[this.#next] = letter;
    this.#next = (this.#next + 1) % this.capacity;
  }

  #log({ message, recipient, reason, sender }: DeadLetter): void {
    const from = sender ? ` from ${sender.path}` : '';
    const last = this.count === this.logged ? '; further dead letters are not logged, see system.deadLetters$' : '';
    this.logger.warn(`dead letter: ${typeOf(message)}${from} (${reason})${last}`, recipient);
  }
}
