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
 * What an actor can do, as its handlers get it. It belongs to one actor and is to be used by its handlers only: what it
 * says about the current message (`reply`, `sender`, `stash`) is true until the handler has settled.
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

  /** Undefined for an actor at the top. */
  get parent(): ActorRef<never> | undefined {
    const { parent } = this.#cell;
    return parent?.parent ? parent : undefined;
  }

  /** A logger whose lines name this actor. */
  get log(): ContextLogger {
    return new PathLogger(this.#cell.system.options.logger, this.#cell);
  }

  /** Aborts when the actor is killed, or stopped by force, while a handler is running; and when it ends. */
  get signal(): AbortSignal {
    return (this.#cell.needExtras().abort ??= new AbortController()).signal;
  }

  /** Who sent the current message, if it said so, or the reply address of its `ask`. */
  get sender(): ActorRef | undefined {
    return this.#cell.replyTo as ActorRef | undefined;
  }

  /**
   * Answers the current message: to its `ask`, or to the sender given with `tell`.
   *
   * @throws NoReplyAddressError when there is neither
   */
  reply(value: unknown): void {
    const { sender } = this;
    if (sender === undefined) throw new NoReplyAddressError(this.path);
    sender.tell(value, this.#cell);
  }

  /** Hands the current message on: whoever gets it replies to the original sender. */
  forward<T>(ref: ActorRef<T>, message: T): void {
    ref.tell(message, this.sender);
  }

  /**
   * Makes a child. It begins soon, not before this returns; messages may be sent to it at once. It ends before this actor
   * does.
   *
   * @param name unique among the children; a stopped child's name is free again. @default a made-up one
   * @throws InvalidActorNameError, DuplicateActorNameError, ActorSystemStoppingError when this actor is ending
   */
  spawn<T = unknown>(what: Behavior<T> | Props<T> | ActorClass, name?: string): ActorRef<T> {
    return spawnChild(this.#cell, what, name);
  }

  /** @throws NotAChildError for anything but a child or this actor itself */
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
   * Have this actor told of the end of another: by the signal `Terminated`, which it must handle. Told at once when that
   * has ended already.
   */
  watch(ref: ActorRef<never>): void {
    watch(this.#cell, cellOf(ref));
  }

  /** As `watch`, but by a message. */
  watchWith(ref: ActorRef<never>, message: M): void {
    watch(this.#cell, cellOf(ref), { message });
  }

  unwatch(ref: ActorRef<never>): void {
    unwatch(this.#cell, cellOf(ref));
  }

  /**
   * Puts the current message aside, for `unstashAll`. What is stashed when the actor ends becomes dead letters; a restart
   * brings it back to the mailbox.
   *
   * @throws StashFullError, NothingToStashError
   */
  stash(): void {
    stash(this.#cell);
  }

  /** Brings back what was stashed, in its order and before all that is waiting. */
  unstashAll(): void {
    unstashAll(this.#cell);
  }

  get timers(): ActorTimers<M> {
    return (this.#cell.needExtras().timers ??= new ActorTimers<unknown>(this.#cell));
  }

  /**
   * Sends `ReceiveTimeout` when no message has come for so long, and again after each further such time. Signals and
   * messages of the actor's own timers do not count. `null` turns it off.
   */
  setReceiveTimeout(timeoutMs: number | null): void {
    if (timeoutMs !== null) check.timeout(timeoutMs, 'setReceiveTimeout(timeoutMs)');
    const extras = this.#cell.needExtras();
    extras.receiveTimeout?.cancel();
    extras.receiveTimeout = timeoutMs === null ? undefined : new ReceiveTimeoutAlarm(this.#cell, timeoutMs);
  }

  /**
   * Has the outcome of a promise sent to this actor as a message, so that its handler does not have to wait and nothing
   * touches its state from outside.
   *
   * @param onError @default the actor fails with the error
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
   * An address for messages of another type, which come to this actor translated. It is valid as long as the actor. When
   * `adapt` throws, the message is a dead letter.
   */
  messageAdapter<T>(adapt: (message: T) => M): ActorRef<T> {
    return new AdapterRef<T>(this.#cell, adapt);
  }
}
