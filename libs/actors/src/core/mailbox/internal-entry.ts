import { PoisonPill } from '../system-messages.js';
import { ActorTimer } from '../timing/actor-timers.js';

/** Marks a mailbox entry as a signal. Stored in place of a reply address. */
export const SIGNAL = Symbol('signal');

/** Whether a mailbox entry was added by the library and not sent by a user. */
export const isInternal = (message: unknown, replyTo: unknown): boolean =>
  message === PoisonPill || replyTo === SIGNAL || replyTo instanceof ActorTimer;
