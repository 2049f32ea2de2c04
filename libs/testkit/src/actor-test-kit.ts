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

/** Options of the system, and real-time limits of the kit. @publicApi */
export interface ActorTestKitOptions extends Omit<ActorSystemOptions, 'clock'>, KitLimits {
  /** Clock of the system. @default a new `ManualClock` */
  clock?: ManualClock;
}

/**
 * An actor system for tests. Its clock advances only when the test moves it. Logs are recorded and not printed; pass a
 * `logger` to forward them. `random` yields the same numbers in every run.
 *
 * Actors run as in any system. The kit detects when they are idle: the microtask queue is empty, no actor has a message
 * to handle, and no timer is due. It cannot detect when a handler waits for something outside the process, such as a
 * database. Expectations and `finishHandlers()` wait for such handlers in real time; `settle()`, `advance()` and
 * `expectNoMessage()` do not.
 *
 * @example
 * ```ts
 * import { type ActorRef, Behavior } from '@roost/actors';
 * import { ActorTestKit } from '@roost/testkit';
 *
 * const reminder = (target: ActorRef<string>): Behavior<string> =>
 *   Behavior.setup<string>((ctx) => {
 *     ctx.timers.once('due', 'buy milk', 60_000);
 *     return Behavior.receive<string>((_ctx, text) => target.tell(text));
 *   });
 *
 * const kit = ActorTestKit.create();
 * const probe = kit.createProbe<string>();
 * kit.spawn(reminder(probe.ref), 'reminder');
 *
 * await kit.advance(59_999);
 * await probe.expectNoMessage();
 * await probe.expectMessage('buy milk', { within: 1 });
 * await kit.shutdown();
 * ```
 *
 * @publicApi
 */
export class ActorTestKit {
  readonly system: ActorSystem;
  readonly clock: ManualClock;
  /** All dead letters since the kit was created. */
  readonly deadLetters: readonly DeadLetter[];
  /** All actor failures since the kit was created: the actor, its error and the directive. */
  readonly failures: readonly ActorFailed[];
  /** All lines that the actors and the system have logged since the kit was created. */
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
   * Creates a kit with its own system.
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
   * Creates a kit for an existing system that runs on a `ManualClock`. The system's logger keeps working.
   *
   * @throws InvalidTestkitOptionError, ManualClockMissingError
   */
  static of(system: ActorSystem, limits: KitLimits = {}): ActorTestKit {
    const logs: LogEntry[] = [];
    const kit = new ActorTestKit(system, logs, resolveLimits(limits));
    recordLogger(system.options.logger, logs);
    return kit;
  }

  /** Spawns a top-level actor, like `system.spawn()`. */
  spawn<M = unknown>(what: Behavior<M> | Props<M> | ActorClass, name?: string): ActorRef<M> {
    return this.system.spawn<M>(what, name);
  }

  /** Creates a probe. @param name @default `probe-1`, `probe-2` and so on */
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
   * Resolves when the actors are idle: none has anything to do until the clock moves or something happens outside the
   * process. Runs timers that are due now.
   *
   * @throws NotSettledError when they are still busy after `settleTimeoutMs` of real time
   */
  async settle(): Promise<void> {
    await this.#time.settle();
  }

  /**
   * Waits until the actors are idle, then moves the clock by `ms`, from timer to timer, and waits again after each.
   * Resolves when they are idle at the end. Only one call can move the clock at a time.
   *
   * @throws KitAlreadyMovingError, NotSettledError; after the move, the first error thrown by a timer callback of the
   * test
   */
  async advance(ms: number): Promise<void> {
    assertDurationMs(ms, 'advance(ms)');
    await this.#time.advance(ms);
  }

  /**
   * Waits in real time until all handlers and all `pipeToSelf` promises have settled. Use it for handlers with real I/O
   * before you move the clock or call `expectNoMessage()`. The clock does not move.
   *
   * @param timeoutMs @default `realTimeoutMs` of the kit
   * @throws HandlersNotFinishedError, NotSettledError
   */
  async finishHandlers(timeoutMs: number = this.#limits.realTimeoutMs): Promise<void> {
    assertDurationMs(timeoutMs, 'finishHandlers(timeoutMs)');
    await this.#time.finishHandlers(timeoutMs);
  }

  /**
   * Returns the outcome of a promise that depends on actors, such as `ref.ask()`. A plain `await` would hang the test
   * if there is none. This fails at once, or after the clock has moved by `within`.
   *
   * @throws ProbeAssertionError when the promise has not settled; otherwise the promise's rejection
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

  /**
   * Fails if any of the probes gets a message now or while the clock moves by `ms`. See `TestProbe.expectNoMessage`.
   */
  async expectNoMessageFor(ms: number, ...probes: readonly Pick<TestProbe, 'waiting'>[]): Promise<void> {
    assertDurationMs(ms, 'expectNoMessageFor(ms)');
    const came = (): boolean => probes.some(({ waiting }) => waiting.length > 0);
    await this.#time.waitUntil(came, { what: 'kit.expectNoMessageFor()', withinMs: ms, realTimeoutMs: 0 });
    for (const probe of probes) (probe as TestProbe).assertNoMessage(ms);
  }

  /**
   * Stops the system like `system.shutdown()`. Handlers that have not settled get `realTimeoutMs` to finish. Then the
   * clock moves to the deadline, so stuck actors are force-stopped and named in the report. Further calls return the
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
