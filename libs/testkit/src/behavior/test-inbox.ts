import { isDeepStrictEqual, inspect } from 'node:util';
import { type ActorRef, type MessageClass, PoisonPill, SystemMessage } from '@roost/actors/core';
import { ProbeAssertionError } from '../errors/probe-assertion.error.js';
import { show, showList } from '../show.js';

interface Entry<M> {
  readonly message: M;
  readonly sender: ActorRef<never> | undefined;
}

/**
 * An address without an actor. It stores messages synchronously. For tests with `BehaviorTestKit`; no actor system can
 * watch it.
 *
 * @example
 * ```ts
 * import { type ActorRef, Behavior } from '@roost/actors';
 * import { BehaviorTestKit, TestInbox } from '@roost/testkit';
 *
 * const echo = Behavior.receive<{ text: string; replyTo: ActorRef<string> }>(
 *   (_ctx, { text, replyTo }) => replyTo.tell(text),
 * );
 *
 * const inbox = new TestInbox<string>();
 * BehaviorTestKit.create(echo).run({ text: 'hi', replyTo: inbox.ref });
 * inbox.expectMessage('hi');
 * ```
 *
 * @publicApi
 */
export class TestInbox<M = unknown> {
  readonly ref: ActorRef<M>;
  readonly #entries: Entry<M>[] = [];
  readonly #systemMessages: SystemMessage[] = [];

  constructor(path = '/test/inbox') {
    this.ref = new InboxRef<M>(path, (message, sender) => {
      if (message instanceof SystemMessage) this.#systemMessages.push(message);
      else this.#entries.push({ message, sender });
    });
  }

  get hasMessages(): boolean {
    return this.#entries.length > 0;
  }

  /**
   * `PoisonPill`, `Kill` and other system messages, which an actor's handlers never see. `ref.stop()` sends a
   * `PoisonPill`.
   */
  get systemMessages(): readonly SystemMessage[] {
    return this.#systemMessages;
  }

  /** Messages that no expectation has taken yet. */
  get waiting(): readonly M[] {
    return this.#entries.map(({ message }) => message);
  }

  /** Takes the next message. @throws ProbeAssertionError when there is none */
  receiveMessage(): M {
    return this.#take('a message').message;
  }

  /** Takes all messages. */
  receiveAll(): M[] {
    return this.#entries.splice(0).map(({ message }) => message);
  }

  /**
   * Takes the next message, which must equal this one, as in `TestProbe.expectMessage`.
   *
   * @throws ProbeAssertionError
   */
  expectMessage<T extends M>(expected: T): T {
    const { message } = this.#take(show(expected));
    if (isDeepStrictEqual(message, expected)) return message as T;
    throw this.#failure(show(expected), `got ${show(message)}`, expected, message);
  }

  /** @throws ProbeAssertionError */
  expectMessageType<T extends M>(type: MessageClass<T>): T {
    const expected = `a message of class ${type.name}`;
    const { message } = this.#take(expected);
    if (message instanceof type) return message;
    throw this.#failure(expected, `got ${show(message)}`, type, message);
  }

  /** @throws ProbeAssertionError */
  expectNoMessage(): void {
    if (this.hasMessages) throw this.#failure('no message', 'messages are waiting');
  }

  #take(expected: string): Entry<M> {
    const entry = this.#entries.shift();
    if (entry === undefined) throw this.#failure(expected, 'no message arrived');
    return entry;
  }

  #failure(expected: string, instead: string, ...values: unknown[]): ProbeAssertionError {
    const waiting = this.hasMessages ? `; waiting: ${showList(this.waiting)}` : '';
    return new ProbeAssertionError(
      `${this.ref.path} expected ${expected}, but ${instead}${waiting}`,
      values[0],
      values[1],
    );
  }
}

/** The address of an inbox. */
export class InboxRef<M> implements ActorRef<M> {
  readonly #deliver: (message: M | SystemMessage, sender: ActorRef<never> | undefined) => void;

  constructor(
    readonly path: string,
    deliver: (message: M | SystemMessage, sender: ActorRef<never> | undefined) => void,
  ) {
    this.#deliver = deliver;
  }

  get name(): string {
    return this.path.slice(this.path.lastIndexOf('/') + 1);
  }

  tell(message: M | SystemMessage, sender?: ActorRef<never>): void {
    this.#deliver(message, sender);
  }

  /** Resolves with the first message to `replyTo`. There is no clock, so it never times out. */
  ask<R>(create: (replyTo: ActorRef<R>) => M): Promise<R> {
    return new Promise((resolve) => {
      const replyTo = new InboxRef<R>(`${this.path}?ask`, (reply) => resolve(reply as R));
      this.#deliver(create(replyTo), replyTo);
    });
  }

  offer(message: M): Promise<void> {
    this.#deliver(message, undefined);
    return Promise.resolve();
  }

  stop(): void {
    this.#deliver(PoisonPill, undefined);
  }

  /** Never resolves, because there is no actor that could stop. */
  whenTerminated(): Promise<void> {
    return new Promise(() => undefined);
  }

  [inspect.custom](): string {
    return `ActorRef(${this.path})`;
  }
}
