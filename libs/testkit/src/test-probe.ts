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

/** Options of an expectation. @publicApi */
export interface ExpectOptions {
  /**
   * How far the kit's clock may move to meet the expectation, in ms. It moves from timer to timer, and stops where the
   * expectation is met. @default 0
   */
  within?: number;
  /** Overrides `realTimeoutMs` of the kit. */
  realTimeoutMs?: number;
}

/** Decision about a message in `fishForMessage`; `true` means `'take'`, `false` means `'skip'`. @publicApi */
export type FishingOutcome = 'take' | 'skip' | 'fail' | boolean;

/** The parts of a kit that a probe uses. */
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
 * An actor that records its messages for the test. Expectations take messages in order of arrival. A message that an
 * expectation has examined is consumed, even if the expectation fails.
 *
 * Every expectation first waits until all actors are idle. If it is not met then, the clock moves by up to `within`.
 * After that, it waits in real time for handlers that have not settled. Then it fails with `ProbeAssertionError`.
 *
 * @example
 * ```ts
 * import { type ActorRef, Behavior } from '@roost/actors';
 * import { ActorTestKit } from '@roost/testkit';
 *
 * const doubler = (target: ActorRef<number>): Behavior<number> =>
 *   Behavior.receive((_ctx, n: number) => target.tell(2 * n));
 *
 * const kit = ActorTestKit.create();
 * const probe = kit.createProbe<number>();
 * kit.spawn(doubler(probe.ref)).tell(21);
 *
 * await probe.expectMessage(42);
 * await probe.expectNoMessage();
 * await kit.shutdown();
 * ```
 *
 * @publicApi
 */
export class TestProbe<M = unknown> {
  /** Address of the probe. Pass it wherever an actor's address is needed. */
  readonly ref: ActorRef<M>;
  readonly #host: ProbeHost;
  readonly #queue: Received<M>[] = [];
  readonly #watching = new Set<ActorRef<never>>();
  readonly #terminated = new Set<ActorRef<never>>();
  #last: Received<M> | undefined;
  /** Dead letters and failures already seen. An error message lists only later ones. */
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

  /**
   * Messages that have arrived and that no expectation has taken. Call `kit.settle()` first to include those still on
   * the way.
   */
  get waiting(): readonly M[] {
    return this.#queue.map(({ message }) => message);
  }

  /** Sender of the last message taken, or the reply address of its `ask`; undefined if it has neither. */
  get lastSender(): ActorRef | undefined {
    return this.#last?.sender;
  }

  /** Takes the next message, whatever it is. */
  async receiveMessage(options: ExpectOptions = {}): Promise<M> {
    return this.#next('a message', undefined, options);
  }

  /** Takes the next `count` messages. `within` applies to all of them together. If fewer arrive, none is taken. */
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

  /**
   * Takes the next message, which must equal this one by `util.isDeepStrictEqual`: same class, same fields, same
   * values.
   */
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

  /** Takes the next message, which must be an instance of this class or a subclass. */
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
   * Fails if a message arrives now or while the clock moves by `forMs`. The clock stops at the first message. Does not
   * wait for handlers that have not settled: see `kit.finishHandlers()`.
   */
  async expectNoMessage(forMs = 0): Promise<void> {
    assertDurationMs(forMs, 'expectNoMessage(forMs)');
    await this.#wait(() => this.#queue.length > 0, 'no message', { within: forMs, realTimeoutMs: 0 });
    this.assertNoMessage(forMs);
  }

  /** @internal Fails if a message has arrived. */
  assertNoMessage(forMs: number): void {
    if (this.#queue.length > 0) {
      const message = this.#take();
      throw this.#failure('no message', { within: forMs }, `got ${show(message)}`, { actual: message });
    }
    this.#met();
  }

  /**
   * Takes messages until `judge` returns `'take'`, and returns that message. `'skip'` drops a message, and `'fail'`
   * fails the expectation. `within` applies to all of them together.
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
   * Replies to the last message taken: to its `ask`, or to its sender.
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
   * Forwards the last message taken. Replies go to its original sender.
   *
   * @throws NothingToReplyToError
   */
  forward(to: ActorRef<M>): void {
    const { message, sender } = this.#lastOr('forward');
    to.tell(message, sender);
  }

  /** Watches an actor for `expectTerminated`, even one that has already stopped. */
  watch(ref: ActorRef<never>): void {
    this.#watching.add(ref);
    ref.tell(new Watch(this.ref));
  }

  /** Expects that the actor has stopped, or stops. Watches it first if necessary. */
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

  /** Stops the probe. */
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
