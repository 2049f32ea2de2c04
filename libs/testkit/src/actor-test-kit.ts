import {
  type ActorClass,
  ActorFailed,
  type ActorRef,
  ActorSystem,
  type ActorSystemOptions,
  type ActorSystemReport,
  type Behavior,
  DeadLetter,
  type Props,
} from '@roost/actors/core';
import { ManualClock } from '@roost/time/testing';
import { ManualClockMissingError } from './errors/manual-clock-missing.error.js';
import { ProbeAssertionError } from './errors/probe-assertion.error.js';
import { describeFailure } from './expectation.js';
import { assertDurationMs, type KitLimits, resolveLimits } from './kit-options.js';
import { KitTime } from './kit-time.js';
import { type LogEntry, recordingLogger, recordLogger } from './log-recorder.js';
import { seededRandom } from './seeded-random.js';
import { type ExpectOptions, TestProbe } from './test-probe.js';

/** Those of the system, and how long the kit waits in real time. @publicApi */
export interface ActorTestKitOptions extends Omit<ActorSystemOptions, 'clock'>, KitLimits {
  /** @default a new one */
  clock?: ManualClock;
}

/**
 * An actor system for tests, on a clock that stands still until the test moves it. Its logs are kept and not printed;
 * give it a `logger` to have them elsewhere too. `random` gives the same numbers in every run.
 *
 * Actors run by themselves, as in any system. The kit knows when they have come to rest: the microtask queue is empty,
 * no actor has a message to handle, no timer is due. What a handler waits for outside the process, such as a database,
 * the kit cannot know: `settle()`, `advance()` and `expectNoMessage()` do not wait for it, expectations and
 * `finishHandlers()` do.
 *
 * @publicApi
 */
export class ActorTestKit {
  readonly system: ActorSystem;
  readonly clock: ManualClock;
  /** Every dead letter since the kit was made. */
  readonly deadLetters: readonly DeadLetter[];
  /** Every failure of an actor since the kit was made: who, with what error, and what became of it. */
  readonly failures: readonly ActorFailed[];
  /** What actors and the system have logged since the kit was made. */
  readonly logs: readonly LogEntry[];
  readonly #time: KitTime;
  readonly #limits: Required<KitLimits>;
  #probes = 0;

  private constructor(system: ActorSystem, logs: LogEntry[], limits: Required<KitLimits>) {
    const { clock } = system.options;
    if (!(clock instanceof ManualClock)) throw new ManualClockMissingError(system.name);
    const deadLetters: DeadLetter[] = [];
    const failures: ActorFailed[] = [];
    system.events$.subscribe((event) => {
      if (event instanceof DeadLetter) deadLetters.push(event);
      else if (event instanceof ActorFailed) failures.push(event);
    });
    this.system = system;
    this.clock = clock;
    this.logs = logs;
    this.deadLetters = deadLetters;
    this.failures = failures;
    this.#limits = limits;
    this.#time = new KitTime(system, clock, limits);
  }

  /**
   * A kit with a system of its own.
   *
   * @throws InvalidTestkitOptionError, InvalidActorOptionError
   */
  static create(options: ActorTestKitOptions = {}): ActorTestKit {
    const { realTimeoutMs, settleTimeoutMs, clock = new ManualClock(), logger, ...rest } = options;
    const limits = resolveLimits({ realTimeoutMs, settleTimeoutMs });
    const logs: LogEntry[] = [];
    const system = new ActorSystem({ random: seededRandom(1), ...rest, clock, logger: recordingLogger(logs, logger) });
    return new ActorTestKit(system, logs, limits);
  }

  /**
   * A kit for a system that exists already and runs on a `ManualClock`. Its logger goes on as before.
   *
   * @throws InvalidTestkitOptionError, ManualClockMissingError
   */
  static of(system: ActorSystem, limits: KitLimits = {}): ActorTestKit {
    const logs: LogEntry[] = [];
    const kit = new ActorTestKit(system, logs, resolveLimits(limits));
    recordLogger(system.options.logger, logs);
    return kit;
  }

  /** As `system.spawn()`. */
  spawn<M = unknown>(what: Behavior<M> | Props<M> | ActorClass, name?: string): ActorRef<M> {
    return this.system.spawn<M>(what, name);
  }

  /** @param name @default `probe-1`, `probe-2` and so on */
  createProbe<M = unknown>(name?: string): TestProbe<M> {
    return new TestProbe<M>({
      time: this.#time,
      realTimeoutMs: this.#limits.realTimeoutMs,
      deadLetters: this.deadLetters,
      failures: this.failures,
      clock: this.clock,
      spawn: (behavior) => this.system.spawn<unknown>(behavior, name ?? this.#probeName()),
    });
  }

  /**
   * Resolves when the actors have come to rest: none has anything left to do before time moves or something comes from
   * outside. Timers that are due now are run.
   *
   * @throws NotSettledError when they have not after `settleTimeoutMs` of real time
   */
  async settle(): Promise<void> {
    await this.#time.settle();
  }

  /**
   * Lets the actors come to rest, then moves the clock by `ms`, from timer to timer, and lets them come to rest after
   * each. Resolves when they have done so at the end. Only one move at a time.
   *
   * @throws KitAlreadyMovingError, NotSettledError; after the move, the first error of a timer callback of the test
   */
  async advance(ms: number): Promise<void> {
    assertDurationMs(ms, 'advance(ms)');
    await this.#time.advance(ms);
  }

  /**
   * Waits in real time until all handlers and all promises of `pipeToSelf` have settled. For handlers that do real I/O,
   * before time is moved or `expectNoMessage()` is called. The clock stands still.
   *
   * @param timeoutMs @default `realTimeoutMs` of the kit
   * @throws HandlersNotFinishedError, NotSettledError
   */
  async finishHandlers(timeoutMs: number = this.#limits.realTimeoutMs): Promise<void> {
    assertDurationMs(timeoutMs, 'finishHandlers(timeoutMs)');
    await this.#time.finishHandlers(timeoutMs);
  }

  /**
   * The outcome of a promise that depends on actors, such as `ref.ask()`. A plain `await` would hang the test when there
   * is none; this fails at once, or when the clock has been moved by `within`.
   *
   * @throws ProbeAssertionError when the promise has not settled; otherwise what the promise rejects with
   */
  async resolve<T>(promise: PromiseLike<T>, options: ExpectOptions = {}): Promise<T> {
    const { within = 0, realTimeoutMs = this.#limits.realTimeoutMs } = options;
    assertDurationMs(within, 'within');
    assertDurationMs(realTimeoutMs, 'realTimeoutMs');
    let settled = false;
    const watched = Promise.resolve(promise).finally(() => (settled = true));
    watched.catch(() => undefined);
    const patience = { what: 'kit.resolve()', withinMs: within, realTimeoutMs };
    if (await this.#time.waitUntil(() => settled, patience)) return watched;
    throw new ProbeAssertionError(
      describeFailure({
        expected: 'the promise to settle',
        withinMs: within,
        instead: 'it has not settled',
        deadLetters: this.deadLetters,
        failures: this.failures,
        unfinished: this.#time.unfinished,
        nextTimerInMs: this.clock.nextTimerInMs,
      }),
    );
  }

  /** No probe must get a message, now or while the clock is moved by `ms`. See `TestProbe.expectNoMessage`. */
  async expectNoMessageFor(ms: number, ...probes: readonly Pick<TestProbe, 'waiting'>[]): Promise<void> {
    assertDurationMs(ms, 'expectNoMessageFor(ms)');
    const came = (): boolean => probes.some(({ waiting }) => waiting.length > 0);
    await this.#time.waitUntil(came, { what: 'kit.expectNoMessageFor()', withinMs: ms, realTimeoutMs: 0 });
    for (const probe of probes) (probe as TestProbe).assertNoMessage(ms);
  }

  /**
   * Ends the system as `system.shutdown()` does. Handlers that have not settled get `realTimeoutMs` to do so; then the
   * clock is moved to the deadline, so what is stuck is ended by force and named in the report. Further calls get the
   * same report.
   */
  async shutdown(timeoutMs?: number): Promise<ActorSystemReport> {
    let ended = false;
    const report = this.system.shutdown(timeoutMs).finally(() => (ended = true));
    const { realTimeoutMs } = this.#limits;
    const what = 'kit.shutdown()';
    const patience = { what, withinMs: timeoutMs ?? this.system.options.shutdownTimeoutMs, realTimeoutMs: 0 };
    if (!(await this.#time.waitUntil(() => ended, { what, withinMs: 0, realTimeoutMs }))) {
      await this.#time.waitUntil(() => ended, patience);
    }
    return report;
  }

  #probeName(): string {
    for (;;) {
      const name = `probe-${++this.#probes}`;
      if (this.system.lookup(`/user/${name}`) === undefined) return name;
    }
  }
}
