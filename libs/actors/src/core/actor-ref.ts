import type { SystemMessage } from './system-messages.js';

/** Options of `ActorRef.ask()`. @publicApi */
export interface AskOptions {
  /** Time to wait for the reply, in ms. @default the option `askTimeoutMs` of the system */
  timeoutMs?: number;
  /**
   * Gives up early: the promise rejects with `signal.reason`. The actor still handles a message that was already sent.
   */
  signal?: AbortSignal;
}

/**
 * The address of an actor. It stays valid across restarts. Once the actor has stopped, messages to it become dead
 * letters, even if a new actor gets the same name.
 *
 * @example
 * ```ts
 * import { type ActorRef, ActorSystem, Behavior } from '@roost/actors';
 *
 * interface Add {
 *   readonly amount: number;
 *   readonly replyTo?: ActorRef<number>;
 * }
 *
 * const system = new ActorSystem();
 * const counter: ActorRef<Add> = system.spawn(
 *   Behavior.withState(0, (_ctx, { amount, replyTo }: Add, sum: number) => {
 *     replyTo?.tell(sum + amount);
 *     return sum + amount;
 *   }),
 *   'counter',
 * );
 *
 * counter.tell({ amount: 1 });
 * const sum = await counter.ask<number>((replyTo) => ({ amount: 2, replyTo }));
 * console.log(sum); // 3
 * ```
 *
 * @publicApi
 */
export interface ActorRef<in M = unknown> {
  /** Path in the actor tree, such as `/user/shop/cart-42`. */
  readonly path: string;
  readonly name: string;

  /**
   * Sends a message and returns at once. The receiver handles messages from one sender in the order they were sent,
   * each at most once. Never throws, except when the mailbox is full and uses `Overflow.Throw`.
   *
   * @param sender receives the values that the receiver passes to `ctx.reply()`; a dead letter names it
   */
  tell(message: M | SystemMessage, sender?: ActorRef<never>): void;

  /**
   * Sends a message and waits for the reply: the first message to `replyTo`, or `ctx.reply(value)` in the handler.
   *
   * Rejects at once when the actor has stopped or stops before it handles the message, when the message is dropped or
   * unhandled, and when the handler throws (with the error thrown). Rejects with `AskTimeoutError` when no reply
   * arrives in time. A later reply becomes a dead letter.
   */
  ask<R>(create: (replyTo: ActorRef<R>) => M, options?: AskOptions): Promise<R>;

  /**
   * Sends a message and resolves when the mailbox has accepted it: at once, or, with `Overflow.Backpressure`, as soon
   * as there is room. Rejects when the message is not delivered.
   *
   * @param options.signal stops waiting: the promise rejects with `signal.reason`, and the message is not delivered
   */
  offer(message: M, options?: { signal?: AbortSignal }): Promise<void>;

  /** Stops the actor after the messages sent before this call, as `tell(PoisonPill)` does. */
  stop(): void;

  /** Resolves when the actor has stopped, at once if it already has. */
  whenTerminated(): Promise<void>;
}
