import type { RoostLogger } from '@roost/kernel';
import type { Clock } from '@roost/time';
import type { ConsumeOptions, ConsumeSource } from '../consume/consume-options.js';
import { Consumption } from '../consume/consumption.js';
import { ProcessEndedError } from '../errors/process-ended.error.js';
import { StopRequestedError } from '../errors/stop-requested.error.js';
import { WorkersStoppedError } from '../errors/workers-stopped.error.js';
import { check } from '../option-checks.js';
import { manyListeners } from '../stop-signal/many-listeners.js';
import { HeldLease } from './lease.js';
import type { Lease, RunToken } from './run-token.js';
import type { RunsInFlight } from './runs-in-flight.js';

/** The maximum for a timer, about 285,000 years. */
const LONGEST_SLEEP_MS = Number.MAX_SAFE_INTEGER;

/** The value that a function threw, which may be undefined. */
export interface Failure {
  readonly error: unknown;
}

export interface RunContext {
  readonly name: string;
  /** Time in ms that a shutdown waits for the run. */
  readonly maxWaitMs: number;
  readonly clock: Clock;
  readonly logger: RoostLogger;
  /** The list that contains the run until it has ended. */
  readonly runs: RunsInFlight<Run>;
  /** Called before `onEnded`, when the function has returned or thrown. Holds may remain. Must not throw. */
  onSettled?(run: Run, failure: Failure | undefined): void;
  /**
   * Called once, when the function, its holds and its items have ended and before the wait for them resolves. Must not
   * throw.
   */
  onEnded?(run: Run): void;
}

/** One execution of a worker, or of a function given to `runGracefully`, with its holds and the items it consumes. */
export class Run implements RunToken {
  readonly name: string;
  readonly maxWaitMs: number;
  readonly startedAt: number;
  readonly leases = new Set<HeldLease>();
  readonly consumptions = new Set<Consumption<never>>();
  steps = 0;
  #isRunning = true;
  #hasSettled = false;
  #hasEnded = false;
  #stop: { readonly failure: Failure | undefined } | undefined;
  #stopReason: StopRequestedError | undefined;
  #abort: AbortController | undefined;
  readonly #sleepers = new Set<(slept: boolean) => void>();

  constructor(private readonly context: RunContext) {
    this.name = context.name;
    this.maxWaitMs = context.maxWaitMs;
    this.startedAt = context.clock.monotonic();
    context.runs.add(this);
  }

  isRunning(): boolean {
    if (!this.#isRunning) return false;
    this.steps++;
    return true;
  }

  /** Created on first use, because most runs never read it. */
  get signal(): AbortSignal {
    if (!this.#abort) {
      this.#abort = manyListeners(new AbortController());
      if (this.#stop) this.#abort.abort(this.stopReason);
    }
    return this.#abort.signal;
  }

  /** Whether a stop has been requested. */
  get isStopping(): boolean {
    return this.#stop !== undefined;
  }

  /** Reason of the requested stop. Created on first use: thousands of runs may stop at once, and few read it. */
  get stopReason(): StopRequestedError {
    this.#stopReason ??= new StopRequestedError(this.name, this.#stop?.failure);
    return this.#stopReason;
  }

  /** Whether the function has returned or thrown. */
  get hasSettled(): boolean {
    return this.#hasSettled;
  }

  get itemsInFlight(): number {
    let items = 0;
    for (const { itemsInFlight } of this.consumptions) items += itemsInFlight;
    return items;
  }

  /**
   * Number of units of work that a shutdown would wait for. A function that sleeps or waits for items would end
   * immediately.
   */
  get inFlight(): number {
    const held = this.leases.size + this.itemsInFlight;
    const isInStep = !this.#hasSettled && this.#sleepers.size === 0 && this.consumptions.size === 0;
    // A hold during a step describes that step, so the step is not counted separately.
    return held === 0 && isInStep ? 1 : held;
  }

  async sleep(ms: number): Promise<boolean> {
    check.number(ms, 'run.sleep(ms)', { least: 0, endless: true });
    if (!this.#isRunning) return false;
    return new Promise((resolve) => {
      const wake = (slept: boolean): void => {
        this.#sleepers.delete(wake);
        timer.cancel();
        resolve(slept);
      };
      const timer = this.context.clock.setTimer(Math.min(ms, LONGEST_SLEEP_MS), () => wake(true));
      this.#sleepers.add(wake);
    });
  }

  hold(name = 'a hold'): Lease {
    this.#assertAwaited(`hold("${name}")`);
    const lease = new HeldLease(name, this.context.clock.monotonic(), (released) => {
      this.leases.delete(released);
      this.#endIfDone();
    });
    this.leases.add(lease);
    return lease;
  }

  async consume<T>(
    source: ConsumeSource<T>,
    handler: (item: T, signal: AbortSignal) => unknown,
    options: ConsumeOptions<T> = {},
  ): Promise<void> {
    this.#assertAwaited('consume()');
    const { clock, logger } = this.context;
    const consumption = new Consumption(handler, options, { name: this.name, signal: this.signal, clock, logger });
    if (this.#stop) consumption.end(this.stopReason);
    this.consumptions.add(consumption);
    try {
      await consumption.run(source);
    } finally {
      this.consumptions.delete(consumption);
      this.#endIfDone();
    }
  }

  /** Calls the function. Its result or error is passed on after the context has been notified. */
  async execute<T>(fn: (run: RunToken) => T | PromiseLike<T>): Promise<T> {
    let outcome: { readonly value: T } | Failure;
    try {
      outcome = { value: await fn(this) };
    } catch (error) {
      outcome = { error };
    }
    this.#hasSettled = true;
    this.context.onSettled?.(this, 'error' in outcome ? outcome : undefined);
    this.#endIfDone();
    if ('error' in outcome) throw outcome.error;
    return outcome.value;
  }

  /** Requests a stop, once. @param failure the error of its function, if that caused the stop */
  stop(failure?: Failure): void {
    if (this.#stop || this.#hasEnded) return;
    this.#stop = { failure };
    this.#endSteps();
    for (const consumption of [...this.consumptions]) consumption.end(this.stopReason);
    // Comes last, because a listener may do anything.
    this.#abort?.abort(this.stopReason);
  }

  #endSteps(): void {
    this.#isRunning = false;
    for (const wake of [...this.#sleepers]) wake(false);
  }

  #assertAwaited(what: string): void {
    if (this.#hasEnded) throw new ProcessEndedError(this.name, what);
    if (this.context.runs.isClosed) throw new WorkersStoppedError(`${what} of "${this.name}"`, 'stopped');
  }

  #endIfDone(): void {
    if (!this.#hasSettled || this.leases.size > 0 || this.consumptions.size > 0 || this.#hasEnded) return;
    this.#hasEnded = true;
    this.#endSteps();
    this.context.onEnded?.(this);
    this.context.runs.delete(this);
  }
}
