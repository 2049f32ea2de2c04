import type { ActorRef } from './actor-ref.js';

/**
 * A lifecycle event that the runtime sends to an actor. Handle it with `Behavior.onSignal` or `@OnSignal`. @publicApi
 */
export abstract class Signal {
  /** Never set. Keeps TypeScript from accepting any object as a signal. */
  declare protected readonly isSignal: true;
}

/** The actor has started and has not handled a message yet. @publicApi */
export class PreStart extends Signal {}

/**
 * The actor is about to stop, and its children have stopped. Delivered exactly once to every actor that has started,
 * even if it is force-stopped.
 *
 * @example
 * ```ts
 * import { Actor, type ActorContext, OnSignal, PostStop } from '@roost/actors';
 *
 * @Actor()
 * export class ConnectionActor {
 *   @OnSignal(PostStop)
 *   close(_signal: PostStop, ctx: ActorContext): void {
 *     ctx.log.log('connection closed');
 *   }
 * }
 * ```
 *
 * @publicApi
 */
export class PostStop extends Signal {}

/** Sent to the failed instance before it is replaced. @publicApi */
export class PreRestart extends Signal {
  constructor(readonly error: unknown) {
    super();
  }
}

/** Sent to the new instance before it handles a message. @publicApi */
export class PostRestart extends Signal {
  constructor(readonly error: unknown) {
    super();
  }
}

/** A child has failed. The child's supervision decides what happens to it. @publicApi */
export class ChildFailed extends Signal {
  constructor(
    readonly child: ActorRef<never>,
    readonly error: unknown,
  ) {
    super();
  }
}

/**
 * A watched actor has stopped. The signal arrives after every message that the stopped actor sent to the watcher,
 * except in a `priority` mailbox, where signals come first. A watcher that does not handle it fails with
 * `DeathPactError`.
 *
 * @example
 * ```ts
 * import { type ActorRef, Behavior, Terminated } from '@roost/actors';
 *
 * export const watcher = (target: ActorRef<never>): Behavior<string> =>
 *   Behavior.setup<string>((ctx) => {
 *     ctx.watch(target);
 *     return Behavior.receive<string>(() => undefined).onSignal((context, signal) => {
 *       if (signal instanceof Terminated) context.log.warn(`${signal.ref.path} has stopped`);
 *     });
 *   });
 * ```
 *
 * @publicApi
 */
export class Terminated extends Signal {
  constructor(readonly ref: ActorRef<never>) {
    super();
  }
}

/**
 * The actor got no message for the time set with `setReceiveTimeout`.
 *
 * @example
 * ```ts
 * import { Behavior, ReceiveTimeout } from '@roost/actors';
 *
 * export const session = Behavior.setup<string>((ctx) => {
 *   ctx.setReceiveTimeout(60_000);
 *   const active = Behavior.receive<string>((context, text) => context.log.log(text));
 *   return active.onSignal((_context, signal) => {
 *     if (signal instanceof ReceiveTimeout) return Behavior.stopped();
 *   });
 * });
 * ```
 *
 * @publicApi
 */
export class ReceiveTimeout extends Signal {}
