import { PoisonPill } from '../system-messages.js';
import { ActorTimer } from '../timing/actor-timers.js';

/** Stands beside a signal in the mailbox. */
export const SIGNAL = Symbol('signal');

/** Whether an entry of a mailbox is the library's own, and not a message that somebody sent. */
export const isInternal = (message: unknown, replyTo: unknown): boolean =>
  message === PoisonPill || replyTo === SIGNAL || replyTo instanceof ActorTimer;
