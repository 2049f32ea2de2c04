import { ActorError } from './actor.error.js';

/** `tell()` or `ask()` met a full mailbox with `Overflow.Throw`. @publicApi */
export class MailboxFullError extends ActorError {
  constructor(
    readonly path: string,
    readonly capacity: number,
  ) {
    super(
      'ACTORS_MAILBOX_FULL',
      `The mailbox of ${path} is full: ${capacity} messages are waiting. Send fewer messages, await offer() with ` +
        'Overflow.Backpressure, or raise the capacity.',
    );
  }
}
