import type { ActorRef } from './actor-ref.js';

/** A message that the runtime handles itself. Every actor accepts it. @publicApi */
export abstract class SystemMessage {
  /** Never set. Keeps TypeScript from accepting any object as a system message. */
  declare protected readonly isSystemMessage: true;
}

class PoisonPillMessage extends SystemMessage {}
class KillMessage extends SystemMessage {}
class SuspendMessage extends SystemMessage {}
class ResumeMessage extends SystemMessage {}

/**
 * Stops the actor after the messages sent before it.
 *
 * @example
 * ```ts
 * import { type ActorRef, PoisonPill } from '@roost/actors';
 *
 * export async function drain(ref: ActorRef<string>): Promise<void> {
 *   ref.tell('last message');
 *   ref.tell(PoisonPill);
 *   await ref.whenTerminated();
 * }
 * ```
 *
 * @publicApi
 */
export const PoisonPill: SystemMessage = new PoisonPillMessage();

/** Stops the actor after the current message. Waiting messages become dead letters. @publicApi */
export const Kill: SystemMessage = new KillMessage();

/** Makes messages wait until `Resume`. An actor that is already suspended stays suspended. @publicApi */
export const Suspend: SystemMessage = new SuspendMessage();

/** Ends a `Suspend`. Does not shorten the delay of a restart. @publicApi */
export const Resume: SystemMessage = new ResumeMessage();

/** Notifies `watcher` when the actor stops. Inside an actor, use `ctx.watch(ref)`. @publicApi */
export class Watch extends SystemMessage {
  constructor(readonly watcher: ActorRef<never>) {
    super();
  }
}

/** Cancels a `Watch`. @publicApi */
export class Unwatch extends SystemMessage {
  constructor(readonly watcher: ActorRef<never>) {
    super();
  }
}
