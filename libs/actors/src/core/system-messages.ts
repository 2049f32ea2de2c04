import type { ActorRef } from './actor-ref.js';

/** A message that the runtime handles itself; every actor takes it. @publicApi */
export abstract class SystemMessage {
  /** Never there: it keeps TypeScript from taking any object for a system message. */
  declare protected readonly isSystemMessage: true;
}

class PoisonPillMessage extends SystemMessage {}
class KillMessage extends SystemMessage {}
class SuspendMessage extends SystemMessage {}
class ResumeMessage extends SystemMessage {}

/** Ends the actor after the messages that were sent before it. @publicApi */
export const PoisonPill: SystemMessage = new PoisonPillMessage();

/** Ends the actor after the message it is handling. What is waiting becomes dead letters. @publicApi */
export const Kill: SystemMessage = new KillMessage();

/** Messages wait until `Resume`. An actor that is suspended already stays so. @publicApi */
export const Suspend: SystemMessage = new SuspendMessage();

/** Ends a `Suspend`. It does not shorten the wait of an actor that is being restarted. @publicApi */
export const Resume: SystemMessage = new ResumeMessage();

/** Has `watcher` told when the actor ends. Inside an actor: `ctx.watch(ref)`. @publicApi */
export class Watch extends SystemMessage {
  constructor(readonly watcher: ActorRef<never>) {
    super();
  }
}

/** Takes a `Watch` back. @publicApi */
export class Unwatch extends SystemMessage {
  constructor(readonly watcher: ActorRef<never>) {
    super();
  }
}
