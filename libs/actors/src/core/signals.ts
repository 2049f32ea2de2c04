import type { ActorRef } from './actor-ref.js';

/** What the runtime tells an actor about its own life and that of others. Handle it with `Behavior.onSignal`. @publicApi */
export abstract class Signal {
  /** Never there: it keeps TypeScript from taking any object for a signal. */
  declare protected readonly isSignal: true;
}

/** The actor is running; no message has been handled yet. @publicApi */
export class PreStart extends Signal {}

/**
 * The actor is about to end and its children have ended. Delivered exactly once to every actor that has started, also
 * when it is stopped by force. @publicApi
 */
export class PostStop extends Signal {}

/** To the instance that failed, before it is replaced. @publicApi */
export class PreRestart extends Signal {
  constructor(readonly error: unknown) {
    super();
  }
}

/** To the new instance, before it handles a message. @publicApi */
export class PostRestart extends Signal {
  constructor(readonly error: unknown) {
    super();
  }
}

/** A child has thrown. What happens to it is up to its supervision. @publicApi */
export class ChildFailed extends Signal {
  constructor(
    readonly child: ActorRef<never>,
    readonly error: unknown,
  ) {
    super();
  }
}

/**
 * A watched actor has ended. It comes after every message that the ended actor had sent. Who watches and does not
 * handle it fails with a `DeathPactError`. @publicApi
 */
export class Terminated extends Signal {
  constructor(readonly ref: ActorRef<never>) {
    super();
  }
}

/** No message has come for the time set with `setReceiveTimeout`. @publicApi */
export class ReceiveTimeout extends Signal {}
