import { isDeepStrictEqual } from 'node:util';
import {
  type ActorFailed,
  type ActorRef,
  Behavior,
  type DeadLetter,
  type MessageClass,
  Terminated,
  Watch,
} from '@roost/actors/core';
import type { ManualClock } from '@roost/time/testing';
import { InvalidTestkitOptionError } from './errors/invalid-testkit-option.error.js';
import { NothingToReplyToError } from './errors/nothing-to-reply-to.error.js';
import { ProbeAssertionError } from './errors/probe-assertion.error.js';
import { describeFailure } from './expectation.js';
import { assertDurationMs } from './kit-options.js';
import type { KitTime } from './kit-time.js';
import { show } from './show.js';

/** @publicApi */
export interface ExpectOptions {
  /**
   * How far the clock of the kit may be moved for it, in ms. It is moved from timer to timer, and stays where the
   * expectation was met. @default 0
   */
  within?: number;
  /** In place of `realTimeoutMs` of the kit. */
  realTimeoutMs?: number;
}

/** What a function for `fishForMessage` says about a message; `true` is `'take'`, `false` is `'skip'`. @publicApi */
export type FishingOutcome = 'take' | 'skip' | 'fail' | boolean;

/** What a probe needs of its kit. */
export interface ProbeHost {
  readonly time: KitTime;
  readonly realTimeoutMs: number;
  readonly deadLetters: readonly DeadLetter[];
  readonly failures: readonly ActorFailed[];
  readonly clock: ManualClock;
  spawn(behavior: Behavior<unknown>): ActorRef;
}

interface Received<M> {
  readonly message: M;
  readonly sender: ActorRef | undefined;
}

/**
 * An actor that keeps what it gets for the test to look at. Expectations take the messages in the order in which they
 * came; what an expectation has looked at is taken, also when it fails.
 *
 * Every expectation first lets all actors come to rest. If it is not met then, the clock is moved up to `within`; then,
 * if handlers have not settled, they are waited for in real time. Then it fails with `ProbeAssertionError`.
 *
 * @publicApi
 */
export class TestProbe<M = unknown> {
  /** Its address, to be used wherever an actor's is. */
  readonly ref: ActorRef<M>;
  readonly #host: ProbeHost;
  readonly #queue: Received<M>[] = [];
  readonly #watching = new Set<ActorRef<never>>();
  readonly #terminated = new Set<ActorRef<never>>();
  #last: Received<M> | undefined;
  /** Dead letters and failures before these are no news: an expectation has been met since. */
  #seen: { deadLetters: number; failures: number };

  /** @internal Use `kit.createProbe()`. */
  constructor(host: ProbeHost) {
    this.#host = host;
    this.#seen = { deadLetters: host.deadLetters.length, failures: host.failures.length };
    const behavior = Behavior.receive<unknown>((ctx, message) => {
      this.#queue.push({ message: message as M, sender: ctx.sender });
    }).onSignal((_ctx, signal) => {
      if (signal instanceof Terminated) this.#terminated.add(signal.ref);
    });
    this.ref = host.spawn(behavior);
  }

  /** Messages that have come and no expectation has taken. Those that are under way come with `kit.settle()`. */
  get waiting(): readonly M[] {
    return this.#queue.map(({ message }) => message);
  }

  /** Who sent the last message taken, or the reply address of its `ask`; undefined if it was sent without a sender. */
  get lastSender(): ActorRef | undefined {
    return this.#last?.sender;
  }

  /** The next message, whatever it is. */
  async receiveMessage(options: ExpectOptions = {}): Promise<M> {
    return this.#next('a message', undefined, options);
  }

  /** The next `count` messages. `within` is for all of them together. */
  async receiveN(count: number, options: ExpectOptions = {}): Promise<M[]> {
    if (!Number.isInteger(count) || count < 0) {
      throw new InvalidTestkitOptionError('receiveN(count)', count, 'a whole number >= 0');
    }
    const expected = `${count} messages`;
    if (await this.#wait(() => this.#queue.length >= count, expected, options)) {
      const messages = Array.from({ length: count }, () => this.#take());
      this.#met();
      return messages;
    }
    const waiting = this.waiting.length;
    throw this.#failure(expected, options, `got ${waiting === 0 ? 'none' : `only ${waiting}`}`);
  }

  /** The next message must equal this one: by `util.isDeepStrictEqual`, so class, fields and their values count. */
  async expectMessage<T extends M>(expected: T, options: ExpectOptions = {}): Promise<T> {
    const message = await this.#next(show(expected), expected, options);
    if (!isDeepStrictEqual(message, expected)) {
      const looksAlike = show(message) === show(expected);
      const but = `got ${show(message)}${looksAlike ? ', which looks the same but is not deeply equal' : ''}`;
      throw this.#failure(show(expected), options, but, { expected, actual: message });
    }
    this.#met();
    return message as T;
  }

  /** The next message must be of this class, or of one below it. */
  async expectMessageType<T extends M>(type: MessageClass<T>, options: ExpectOptions = {}): Promise<T> {
    if (typeof type !== 'function') {
      throw new InvalidTestkitOptionError('expectMessageType(type)', type, 'a class');
    }
    const expected = `a message of class ${type.name}`;
    const message = await this.#next(expected, type, options);
    if (!(message instanceof type)) {
      throw this.#failure(expected, options, `got ${show(message)}`, { expected: type, actual: message });
    }
    this.#met();
    return message;
  }

  /**
   * Nothing must come, now or while the clock is moved by `forMs`; time stops at the first message that does. Handlers
   * that have not settled are not waited for: see `kit.finishHandlers()`.
   */
  async expectNoMessage(forMs = 0): Promise<void> {
    assertDurationMs(forMs, 'expectNoMessage(forMs)');
    await this.#wait(() => this.#queue.length > 0, 'no message', { within: forMs, realTimeoutMs: 0 });
    this.assertNoMessage(forMs);
  }

  /** @internal Nothing has come so far. */
  assertNoMessage(forMs: number): void {
    if (this.#queue.length > 0) {
      const message = this.#take();
      throw this.#failure('no message', { within: forMs }, `got ${show(message)}`, { actual: message });
    }
    this.#met();
  }

  /**
   * Takes messages until `judge` says `'take'`, and returns that one. `'skip'` drops a message, `'fail'` fails the
   * expectation. `within` is for all of them together.
   */
  async fishForMessage(judge: (message: M) => Exclude<FishingOutcome, boolean>, options?: ExpectOptions): Promise<M>;
  async fishForMessage<T extends M>(judge: (message: M) => message is T, options?: ExpectOptions): Promise<T>;
  async fishForMessage(judge: (message: M) => FishingOutcome, options?: ExpectOptions): Promise<M>;
  async fishForMessage(judge: (message: M) => FishingOutcome, options: ExpectOptions = {}): Promise<M> {
    const skipped: M[] = [];
    let caught: { message: M; failed: boolean } | undefined;
    const look = (): boolean => {
      while (caught === undefined && this.#queue.length > 0) {
        const message = this.#take();
        const outcome = judge(message);
        if (outcome === 'skip' || outcome === false) skipped.push(message);
        else if (outcome === 'take' || outcome === true) caught = { message, failed: false };
        else if (outcome === 'fail') caught = { message, failed: true };
        else throw new InvalidTestkitOptionError('fishForMessage(judge)', outcome, "'take', 'skip' or 'fail'");
      }
      return caught !== undefined;
    };
    const expected = 'a matching message';
    await this.#wait(look, expected, options);
    if (caught === undefined) throw this.#failure(expected, options, 'none arrived', {}, skipped);
    const { message, failed } = caught;
    if (failed) throw this.#failure(expected, options, `got ${show(message)}`, { actual: message }, skipped);
    this.#met();
    return message;
  }

  /**
   * Answers the last message taken: its `ask`, or its sender.
   *
   * @throws NothingToReplyToError
   */
  reply(value: unknown): void {
    const { message, sender } = this.#lastOr('reply to');
    if (sender === undefined) {
      throw new NothingToReplyToError(
        this.ref.path,
        `${show(message)} has no sender. Send it with ask() or tell(message, sender).`,
      );
    }
    sender.tell(value, this.ref);
  }

  /**
   * Hands the last message taken on; whoever gets it replies to the original sender.
   *
   * @throws NothingToReplyToError
   */
  forward(to: ActorRef<M>): void {
    const { message, sender } = this.#lastOr('forward');
    to.tell(message, sender);
  }

  /** Notes the end of an actor, for `expectTerminated`. Of one that has ended already, too. */
  watch(ref: ActorRef<never>): void {
    this.#watching.add(ref);
    ref.tell(new Watch(this.ref));
  }

  /** The actor must have ended, or end. Watches it if that has not been done. */
  async expectTerminated(ref: ActorRef<never>, options: ExpectOptions = {}): Promise<void> {
    if (!this.#watching.has(ref)) this.watch(ref);
    const expected = `${ref.path} to stop`;
    if (!(await this.#wait(() => this.#terminated.has(ref), expected, options))) {
      throw this.#failure(expected, options, 'it has not stopped');
    }
    this.#watching.delete(ref);
    this.#terminated.delete(ref);
    this.#met();
  }

  /** Ends the probe. */
  stop(): void {
    this.ref.stop();
  }

  async #next(expected: string, value: unknown, options: ExpectOptions): Promise<M> {
    if (await this.#wait(() => this.#queue.length > 0, expected, options)) return this.#take();
    throw this.#failure(expected, options, 'no message arrived', { expected: value });
  }

  #wait(isDone: () => boolean, what: string, { within = 0, realTimeoutMs }: ExpectOptions): Promise<boolean> {
    assertDurationMs(within, 'within');
    const real = realTimeoutMs ?? this.#host.realTimeoutMs;
    assertDurationMs(real, 'realTimeoutMs');
    return this.#host.time.waitUntil(isDone, {
      what: `an expectation (${what})`,
      withinMs: within,
      realTimeoutMs: real,
    });
  }

  #take(): M {
    this.#last = this.#queue.shift()!;
    return this.#last.message;
  }

  #lastOr(what: string): Received<M> {
    if (this.#last) return this.#last;
    throw new NothingToReplyToError(
      this.ref.path,
      `no expectation has taken a message to ${what}. Expect a message first.`,
    );
  }

  #met(): void {
    const { deadLetters, failures } = this.#host;
    this.#seen = { deadLetters: deadLetters.length, failures: failures.length };
  }

  #failure(
    expected: string,
    { within = 0 }: ExpectOptions,
    instead: string,
    values: { expected?: unknown; actual?: unknown } = {},
    skipped: readonly M[] = [],
  ): ProbeAssertionError {
    const { deadLetters, failures, time, clock } = this.#host;
    const text = describeFailure({
      probe: this.ref.path,
      expected,
      withinMs: within,
      instead,
      skipped,
      waiting: this.waiting,
      deadLetters: deadLetters.slice(this.#seen.deadLetters),
      failures: failures.slice(this.#seen.failures),
      unfinished: time.unfinished,
      nextTimerInMs: 'actual' in values ? undefined : clock.nextTimerInMs,
    });
    this.#met();
    return new ProbeAssertionError(text, values.expected, values.actual);
  }
}
