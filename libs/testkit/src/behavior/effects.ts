import type { ActorClass, ActorRef, Behavior, Props, TimerKey } from '@roost/actors/core';

/** An action of a behavior, as recorded by a `BehaviorTestKit`. @publicApi */
export abstract class Effect {
  /** Never set. Keeps TypeScript from accepting any object as an effect. */
  declare protected readonly isEffect: true;
}

/** `ctx.spawn()`. @publicApi */
export class Spawned extends Effect {
  constructor(
    readonly what: Behavior<never> | Props | ActorClass,
    /** Given or generated name. */
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

/** `ctx.watch()`, or `ctx.watchWith()` if there is a message. @publicApi */
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

/** The method that set a timer. @publicApi */
export type TimerKind = 'once' | 'fixedDelay' | 'fixedRate';

/** `ctx.timers.once()`, `fixedDelay()` or `fixedRate()`. @publicApi */
export class TimerScheduled extends Effect {
  constructor(
    readonly kind: TimerKind,
    readonly key: TimerKey,
    readonly message: unknown,
    /** Delay or period, in ms. */
    readonly delayMs: number,
    /** Time until the first message, in ms. */
    readonly initialDelayMs: number,
  ) {
    super();
  }
}

/** `ctx.timers.cancel()` of an existing timer. @publicApi */
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

/** `ctx.unstashAll()`. The messages are run after the current one. @publicApi */
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

/** `ctx.messageAdapter()`. Messages to `ref` arrive in `kit.selfInbox`, translated. @publicApi */
export class MessageAdapted extends Effect {
  constructor(readonly ref: ActorRef<never>) {
    super();
  }
}

/**
 * `ctx.pipeToSelf()`. `outcome` resolves with the resulting message, which then also arrives in `kit.selfInbox`. It
 * rejects if an actor would fail. @publicApi
 */
export class Piped extends Effect {
  constructor(readonly outcome: Promise<unknown>) {
    super();
  }
}

/** The behavior returned `Behavior.unhandled()`, which would be a dead letter in an actor. @publicApi */
export class Unhandled extends Effect {
  constructor(readonly message: unknown) {
    super();
  }
}
