import type { ActorClass, ActorRef, Behavior, Props, TimerKey } from '@roost/actors/core';

/** Something a behavior has done, as a `BehaviorTestKit` notes it. @publicApi */
export abstract class Effect {
  /** Never there: it keeps TypeScript from taking any object for an effect. */
  declare protected readonly isEffect: true;
}

/** `ctx.spawn()`. @publicApi */
export class Spawned extends Effect {
  constructor(
    readonly what: Behavior<never> | Props | ActorClass,
    /** As given, or made up. */
    readonly name: string,
    readonly ref: ActorRef,
  ) {
    super();
  }
}

/** `ctx.stop()` of a child, or of the actor itself. @publicApi */
export class Stopped extends Effect {
  constructor(
    readonly name: string,
    readonly ref: ActorRef<never>,
  ) {
    super();
  }
}

/** `ctx.watch()`, or `ctx.watchWith()`, which has a message. @publicApi */
export class Watched extends Effect {
  constructor(
    readonly ref: ActorRef<never>,
    readonly message?: unknown,
  ) {
    super();
  }
}

/** `ctx.unwatch()`. @publicApi */
export class Unwatched extends Effect {
  constructor(readonly ref: ActorRef<never>) {
    super();
  }
}

/** @publicApi */
export type TimerKind = 'once' | 'fixedDelay' | 'fixedRate';

/** `ctx.timers.once()`, `fixedDelay()` or `fixedRate()`. @publicApi */
export class TimerScheduled extends Effect {
  constructor(
    readonly kind: TimerKind,
    readonly key: TimerKey,
    readonly message: unknown,
    /** The delay, or the period. */
    readonly delayMs: number,
    /** Until the first message. */
    readonly initialDelayMs: number,
  ) {
    super();
  }
}

/** `ctx.timers.cancel()`, for a timer that was there. @publicApi */
export class TimerCancelled extends Effect {
  constructor(readonly key: TimerKey) {
    super();
  }
}

/** `ctx.setReceiveTimeout()`. @publicApi */
export class ReceiveTimeoutSet extends Effect {
  constructor(readonly timeoutMs: number | null) {
    super();
  }
}

/** `ctx.stash()`. @publicApi */
export class Stashed extends Effect {
  constructor(readonly message: unknown) {
    super();
  }
}

/** `ctx.unstashAll()`. The messages are run after the one that is being handled. @publicApi */
export class Unstashed extends Effect {
  constructor(readonly messages: readonly unknown[]) {
    super();
  }
}

/** `ctx.reply()`. @publicApi */
export class Replied extends Effect {
  constructor(
    readonly value: unknown,
    readonly to: ActorRef,
  ) {
    super();
  }
}

/** `ctx.forward()`. @publicApi */
export class Forwarded extends Effect {
  constructor(
    readonly message: unknown,
    readonly to: ActorRef<never>,
  ) {
    super();
  }
}

/** `ctx.messageAdapter()`. What is sent to `ref` comes to `kit.selfInbox`, translated. @publicApi */
export class MessageAdapted extends Effect {
  constructor(readonly ref: ActorRef<never>) {
    super();
  }
}

/**
 * `ctx.pipeToSelf()`. `outcome` is the message that the promise becomes; it also comes to `kit.selfInbox` then. It rejects
 * when the actor would fail. @publicApi
 */
export class Piped extends Effect {
  constructor(readonly outcome: Promise<unknown>) {
    super();
  }
}

/** The behavior has returned `Behavior.unhandled()`: a dead letter for an actor. @publicApi */
export class Unhandled extends Effect {
  constructor(readonly message: unknown) {
    super();
  }
}
