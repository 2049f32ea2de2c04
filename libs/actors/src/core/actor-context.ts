import type { ActorCell } from './cell/actor-cell.js';
import type { ActorClass } from './actor-class.js';
import type { ActorRef } from './actor-ref.js';
import type { ActorSystem } from './actor-system.js';
import type { Behavior } from './behavior.js';
import { cellOf } from './cell/cell-of.js';
import { unwatch, watch } from './cell/death-watch.js';
import { NoReplyAddressError } from './errors/no-reply-address.error.js';
import { NotAChildError } from './errors/not-a-child.error.js';
import { type ContextLogger, PathLogger } from './context-logger.js';
import { AdapterRef } from './cell/message-adapter.js';
import type { Props } from './props.js';
import { spawnChild } from './cell/spawn.js';
import { stash, unstashAll } from './cell/stash.js';
import { ActorTimers } from './timing/actor-timers.js';
import { ReceiveTimeoutAlarm } from './timing/receive-timeout.js';
import { check } from './option-checks.js';

/**
 * The API that an actor's handlers use. A context belongs to one actor, and only that actor's handlers may use it.
 * `reply`, `sender` and `stash` refer to the current message and are valid until its handler has settled.
 *
 * @example
 * ```ts
 * import { type ActorContext, type ActorRef, Behavior } from '@roost/actors';
 *
 * interface Greet {
 *   readonly name: string;
 *   readonly replyTo: ActorRef<string>;
 * }
 *
 * export const greeter = Behavior.receive((ctx: ActorContext<Greet>, { name, replyTo }: Greet) => {
 *   ctx.log.debug(`greeting ${name}`);
 *   replyTo.tell(`Hello ${name}, this is ${ctx.path}`);
 * });
 * ```
 *
 * @publicApi
 */
export class ActorContext<in M = unknown> {
  readonly #cell: ActorCell;

  /** @internal */
  constructor(cell: ActorCell) {
    this.#cell = cell;
  }

  get self(): ActorRef<M> {
    return this.#cell;
  }

  get system(): ActorSystem {
    return this.#cell.system;
  }

  get path(): string {
    return this.#cell.path;
  }

  get name(): string {
    return this.#cell.name;
  }

  /** The parent actor; undefined for a top-level actor. */
  get parent(): ActorRef<never> | undefined {
    const { parent } = this.#cell;
    return parent?.parent ? parent : undefined;
  }

  /** Logger with this actor's path as context. */
  get log(): ContextLogger {
    return new PathLogger(this.#cell.system.options.logger, this.#cell);
  }

  /**
   * Aborts when the actor is killed or force-stopped, even while a handler is running, and at the latest when it stops.
   */
  get signal(): AbortSignal {
    return (this.#cell.needExtras().abort ??= new AbortController()).signal;
  }

  /** The sender of the current message, if `tell` was given one, or the reply address of its `ask`. */
  get sender(): ActorRef | undefined {
    return this.#cell.replyTo as ActorRef | undefined;
  }

  /**
   * Replies to the current message: to its `ask`, or to the sender passed to `tell`.
   *
   * @throws NoReplyAddressError when the message has neither
   */
  reply(value: unknown): void {
    const { sender } = this;
    if (sender === undefined) throw new NoReplyAddressError(this.path);
    sender.tell(value, this.#cell);
  }

  /** Sends a message on behalf of the current sender, so that replies go to that sender. */
  forward<T>(ref: ActorRef<T>, message: T): void {
    ref.tell(message, this.sender);
  }

  /**
   * Spawns a child. The child starts asynchronously, after this call returns, but messages can be sent to it at once. A
   * stopping actor waits until its children have stopped.
   *
   * @param name unique among the children; free again once the child with that name has stopped. @default generated
   * @throws InvalidActorNameError, DuplicateActorNameError, UnknownActorClassError
   * @throws ActorSystemStoppingError when this actor is stopping
   */
  spawn<T = unknown>(what: Behavior<T> | Props<T> | ActorClass, name?: string): ActorRef<T> {
    return spawnChild(this.#cell, what, name);
  }

  /** Stops a child, or this actor itself, as `ref.stop()` does. @throws NotAChildError for any other actor */
  stop(child: ActorRef<never> = this.self): void {
    if (child !== this.#cell && cellOf(child).parent !== this.#cell) throw new NotAChildError(this.path, child.path);
    child.stop();
  }

  child(name: string): ActorRef | undefined {
    return this.#cell.childNamed(name);
  }

  get children(): ActorRef[] {
    return [...(this.#cell.children?.values() ?? [])];
  }

  /**
   * Notifies this actor with the signal `Terminated` when the other actor stops, or at once if it has already stopped.
   * An actor that does not handle the signal fails with `DeathPactError`.
   */
  watch(ref: ActorRef<never>): void {
    watch(this.#cell, cellOf(ref));
  }

  /** Like `watch`, but notifies with a message instead of a signal. */
  watchWith(ref: ActorRef<never>, message: M): void {
    watch(this.#cell, cellOf(ref), { message });
  }

  unwatch(ref: ActorRef<never>): void {
    unwatch(this.#cell, cellOf(ref));
  }

  /**
   * Sets the current message aside until `unstashAll`. If the actor stops, stashed messages become dead letters. A
   * restart moves them back to the mailbox.
   *
   * @throws StashFullError, NothingToStashError
   */
  stash(): void {
    stash(this.#cell);
  }

  /** Moves stashed messages back to the mailbox, in their original order and ahead of all waiting messages. */
  unstashAll(): void {
    unstashAll(this.#cell);
  }

  get timers(): ActorTimers<M> {
    return (this.#cell.needExtras().timers ??= new ActorTimers<unknown>(this.#cell));
  }

  /**
   * Sends `ReceiveTimeout` to this actor after `timeoutMs` without a message, and again after each further `timeoutMs`.
   * Signals and messages of the actor's own timers do not reset the timeout. `null` turns it off.
   */
  setReceiveTimeout(timeoutMs: number | null): void {
    if (timeoutMs !== null) check.timeout(timeoutMs, 'setReceiveTimeout(timeoutMs)');
    const extras = this.#cell.needExtras();
    extras.receiveTimeout?.cancel();
    extras.receiveTimeout = timeoutMs === null ? undefined : new ReceiveTimeoutAlarm(this.#cell, timeoutMs);
  }

  /**
   * Sends the outcome of a promise to this actor as a message, so that the handler does not wait and no other code
   * touches the actor's state. The message always fits into a bounded mailbox; if the actor has stopped, it becomes a
   * dead letter.
   *
   * @param onError turns a rejection into a message. @default the actor fails with the error
   */
  pipeToSelf<T>(promise: PromiseLike<T>, onValue: (value: T) => M, onError?: (error: unknown) => M): void {
    const cell = this.#cell;
    const { system } = cell;
    system.openPipes++;
    const fail = (error: unknown): void => cell.addFailure(error);
    const send =
      <V>(toMessage: (value: V) => M) =>
      (value: V): void => {
        let message: M;
        try {
          message = toMessage(value);
        } catch (error) {
          return fail(error);
        }
        cell.pushOwn(message);
      };
    const close =
      <V>(deliver: (value: V) => void) =>
      (value: V): void => {
        system.openPipes--;
        deliver(value);
      };
    Promise.resolve(promise).then(close(send(onValue)), close(onError ? send(onError) : fail));
  }

  /**
   * Returns an address that accepts messages of another type and passes them to this actor, translated by `adapt`. It
   * is valid as long as the actor. When `adapt` throws during a `tell`, the message becomes a dead letter.
   */
  messageAdapter<T>(adapt: (message: T) => M): ActorRef<T> {
    return new AdapterRef<T>(this.#cell, adapt);
  }
}
