import type { DeadLetterReason } from '../observe/dead-letters.js';
import { ActorError } from './actor.error.js';

const WHY: Record<DeadLetterReason, string> = {
  stopped: 'the actor is stopping or has stopped',
  unhandled: 'the actor has no handler for it',
  'mailbox-full': 'its mailbox is full',
  'dropped-oldest': 'its mailbox was full and a newer message arrived',
  'late-reply': 'the ask had already settled',
  'no-routee': 'the router has no routees',
  'adapter-failed': 'the message adapter threw',
};

/** An `ask` or `offer` rejected because its message became a dead letter. @publicApi */
export class UndeliveredError extends ActorError {
  constructor(
    readonly path: string,
    readonly messageType: string,
    readonly reason: DeadLetterReason,
  ) {
    super('ACTORS_UNDELIVERED', `${path} did not handle a message (${messageType}): ${WHY[reason]}.`);
  }
}
