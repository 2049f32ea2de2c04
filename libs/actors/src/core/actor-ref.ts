import type { SystemMessage } from './system-messages.js';

/** @publicApi */
export interface AskOptions {
  /** @default the option `askTimeoutMs` of the system */
  timeoutMs?: number;
  /** Gives up early: the promise rejects with `signal.reason`. The message is handled all the same. */
  signal?: AbortSignal;
}

/**
 * The address of an actor. It stays valid over restarts. Once the actor has ended, messages to it are dead letters; an
 * actor that gets the same name later has another address.
 *
 * @publicApi
 */
export interface ActorRef<in M = unknown> {
  /** `/user/shop/cart-42` */
  readonly path: string;
  readonly name: string;

  /**
   * Sends a message and returns at once. Messages of one sender to one receiver are handled in the order in which they
   * were sent, each at most once. It never throws, except with a full mailbox under `Overflow.Throw`.
   *
   * @param sender gets what the receiver sends with `ctx.reply()`, and is named if the message becomes a dead letter
   */
  tell(message: M | SystemMessage, sender?: ActorRef<never>): void;

  /**
   * Sends a message and waits for the reply: the first message to `replyTo`, or `ctx.reply(value)` in the handler.
   *
   * Rejects at once when the actor has ended or ends before it has handled the message, when the message is dropped or
   * unhandled, and, with what was thrown, when its handler throws; with `AskTimeoutError` when there is no reply in time.
   * A reply that comes later is a dead letter.
   */
  ask<R>(create: (replyTo: ActorRef<R>) => M, options?: AskOptions): Promise<R>;

  /**
   * Sends a message and resolves when it has a place in the mailbox: at once, or when there is room in a mailbox with
   * `Overflow.Backpressure`. Rejects when the message was not delivered.
   *
   * @param options.signal ends the wait: the promise rejects with `signal.reason` and the message was not delivered
   */
  offer(message: M, options?: { signal?: AbortSignal }): Promise<void>;

  /** Ends the actor after the messages that were sent before, as `tell(PoisonPill)` does. */
  stop(): void;

  /** Resolves when the actor has ended, at once if it already has. */
  whenTerminated(): Promise<void>;
}
