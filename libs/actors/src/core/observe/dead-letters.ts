import type { RoostLogger } from '@roost/kernel';
import type { ActorRef } from '../actor-ref.js';
import { PendingAsk } from '../cell/ask.js';
import { deadLetterChannel } from './diagnostics.js';
import { typeOf } from '../type-of.js';
import { UndeliveredError } from '../errors/undelivered.error.js';
import type { EventStream } from './event-stream.js';

/** Why a message was not handled. @publicApi */
export type DeadLetterReason =
  /** The receiver had ended, or ended before it came to the message. */
  | 'stopped'
  /** The receiver returned `Behavior.unhandled()`, or has no handler for it. */
  | 'unhandled'
  /** The mailbox was full and the message came too much. */
  | 'mailbox-full'
  /** The mailbox was full and the message had waited longest. */
  | 'dropped-oldest'
  /** A reply to an `ask` that was over: answered before, timed out or aborted. */
  | 'late-reply'
  /** A router without routees. */
  | 'no-routee'
  /** The function of a message adapter threw. */
  | 'adapter-failed';

/** A message that nobody has handled. Published on the event stream of the system. @publicApi */
export class DeadLetter {
  constructor(
    readonly message: unknown,
    /** Path of the actor it was for. */
    readonly recipient: string,
    /** Who sent it, when the sender said so in `tell(message, sender)`. */
    readonly sender: ActorRef<never> | undefined,
    readonly reason: DeadLetterReason,
  ) {}
}

/** Counts the dead letters of a system, keeps the last ones and tells who wants to know. */
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

  /** The last ones, oldest first. */
  recent(): DeadLetter[] {
    return [...this.#recent.slice(this.#next), ...this.#recent.slice(0, this.#next)];
  }

  /** @param replyTo what stood beside the message: an `ask` fails at once */
  add(message: unknown, replyTo: unknown, recipient: string, reason: DeadLetterReason): void {
    this.count++;
    const sender = replyTo as ActorRef<never> | undefined;
    const letter = new DeadLetter(message, recipient, sender, reason);
    this.#keep(letter);
    if (this.count <= this.logged) this.#log(letter);
    // A subscriber that cannot take a dead letter would be sent another one about it, and so on for ever.
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
