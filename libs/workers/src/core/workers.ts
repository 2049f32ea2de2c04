import { DuplicateProcessError } from './errors/duplicate-process.error.js';
import { ProcessesFailedError } from './errors/processes-failed.error.js';
import { ProcessesStuckError } from './errors/processes-stuck.error.js';
import { WorkersStoppedError } from './errors/workers-stopped.error.js';
import { assertFunction, check } from './option-checks.js';
import { type ResolvedWorkersOptions, resolveWorkersOptions, type WorkersOptions } from './options.js';
import { describeRuns } from './run/describe-runs.js';
import { Run } from './run/run.js';
import type { RunToken } from './run/run-token.js';
import { RunsInFlight } from './run/runs-in-flight.js';
import { SupervisedWorker } from './supervised-worker.js';
import { type WorkerDefinition, resolveWorkerDefinition } from './worker-definition.js';
import type { WorkerDescription } from './worker-description.js';

/** @publicApi */
export interface RunGracefullyOptions {
  /** For logs and errors. @default the name of the function */
  name?: string;
}

/** `stopping` from `requestStop()`, `stopped` from `close()`. @publicApi */
export type WorkersState = 'ready' | 'running' | 'stopping' | 'stopped';

/**
 * Background processes, and pieces of work, that a shutdown lets finish. Call `start`, `requestStop`, `finish` and `close`
 * in this order. A second call does nothing, and each call makes up for those before it.
 *
 * Nothing polls: `finish` resolves in the moment in which the last run ends.
 *
 * @publicApi
 */
export class Workers {
  readonly options: ResolvedWorkersOptions;
  readonly #workers = new Map<string, SupervisedWorker>();
  readonly #runs: RunsInFlight<Run>;
  #state: WorkersState = 'ready';
  #longestChosenWaitMs: number;

  /** @throws InvalidWorkerOptionError */
  constructor(options: WorkersOptions = {}) {
    this.options = resolveWorkersOptions(options);
    this.#longestChosenWaitMs = this.options.isDefaultWait ? 0 : this.options.maxWaitMs;
    this.#runs = new RunsInFlight(this.options.clock);
  }

  get state(): WorkersState {
    return this.#state;
  }

  /** The work that a shutdown would wait for now: processes in a step, `runGracefully`, holds, and consumed items. */
  get inFlight(): number {
    let inFlight = 0;
    for (const run of this.#runs) inFlight += run.inFlight;
    return inFlight;
  }

  /** The longest time that `finish()` can take. */
  get longestWaitMs(): number {
    return Math.max(this.options.maxWaitMs, this.#longestChosenWaitMs);
  }

  /** The longest wait that an option, an env variable or a process has set; 0 when all use the default. */
  get longestChosenWaitMs(): number {
    return this.#longestChosenWaitMs;
  }

  /**
   * Adds a background process. It is started by `start()`, or at once when that has been called.
   *
   * @throws DuplicateProcessError, InvalidWorkerOptionError
   * @throws WorkersStoppedError from the request to stop
   */
  add(definition: WorkerDefinition): void {
    const { clock, logger } = this.options;
    const resolved = resolveWorkerDefinition(definition, this.options);
    const { name, declaredBy } = resolved;
    const other = this.#workers.get(name);
    if (other) throw new DuplicateProcessError(name, [other.definition.declaredBy, declaredBy]);
    if (this.#state === 'stopping' || this.#state === 'stopped') {
      throw new WorkersStoppedError(`The background process "${name}" of ${declaredBy}`, this.#state);
    }
    const worker = new SupervisedWorker(resolved, { clock, logger, runs: this.#runs });
    this.#workers.set(name, worker);
    this.#longestChosenWaitMs = Math.max(this.#longestChosenWaitMs, definition.maxWaitMs ?? 0);
    if (this.#state === 'running') worker.start();
  }

  /** Starts all processes. Does nothing after the request to stop. */
  start(): void {
    if (this.#state !== 'ready') return;
    this.#state = 'running';
    for (const worker of this.#workers.values()) worker.start();
  }

  /**
   * Runs a piece of work that a shutdown waits for. It is not restarted: its result or error goes to the caller. While the
   * processes are stopping it still runs, with `isRunning()` false from the beginning.
   *
   * @throws InvalidWorkerOptionError
   * @throws WorkersStoppedError once they have stopped
   */
  async runGracefully<T>(fn: (run: RunToken) => T | PromiseLike<T>, options?: RunGracefullyOptions): Promise<T> {
    assertFunction(fn, 'runGracefully(fn)');
    if (options !== undefined) check.knownKeys(options, ['name'], 'runGracefully(options)');
    const name = options?.name ?? (fn.name || 'work');
    if (this.#state === 'stopped') throw new WorkersStoppedError(`runGracefully("${name}")`, 'stopped');
    const { clock, logger, maxWaitMs } = this.options;
    const run = new Run({ name, maxWaitMs, clock, logger, runs: this.#runs });
    if (this.#state === 'stopping') run.stop();
    return run.execute(fn);
  }

  /** `isRunning()` turns false, signals abort, sleeps end, and nothing is restarted any more. */
  requestStop(): void {
    if (this.#state === 'stopping' || this.#state === 'stopped') return;
    this.#state = 'stopping';
    this.#runs.stopRequestedAt = this.options.clock.monotonic();
    for (const worker of this.#workers.values()) worker.requestStop();
    for (const run of [...this.#runs]) run.stop();
  }

  /**
   * Requests the stop, and resolves as soon as every process, `runGracefully` and hold has ended. Each is waited for up to
   * `maxWaitMs` after the request, and all together up to `limitMs` from now.
   *
   * @throws ProcessesStuckError which names those that have not ended
   * @throws ProcessesFailedError when processes have thrown since the request to stop
   */
  async finish(limitMs = Infinity): Promise<void> {
    this.requestStop();
    const { clock } = this.options;
    const begunAt = clock.monotonic();
    const stuck = await this.#runs.whenEnded(Math.max(0, limitMs));
    const failures = [...this.#workers.values()].flatMap(({ name, failureWhileStopping: failure }) =>
      failure ? [{ process: name, error: failure.error }] : [],
    );
    const failed = failures.length > 0 ? new ProcessesFailedError(failures) : undefined;
    if (stuck.length > 0) {
      const now = clock.monotonic();
      const names = [...new Set(stuck.map(({ name }) => name))];
      throw new ProcessesStuckError(names, now - begunAt, describeRuns(stuck, now), failed && { cause: failed });
    }
    if (failed) throw failed;
  }

  /** From now on `runGracefully`, `add` and `hold` are refused. Work that still goes on is not waited for. */
  close(): void {
    this.requestStop();
    this.#state = 'stopped';
    this.#runs.isClosed = true;
  }

  /** Every process, in the order in which they were added. */
  describe(): WorkerDescription[] {
    return [...this.#workers.values()].map((worker) => worker.describe());
  }

  /** The work that a shutdown waits for, in one line: `consumer: step 1042 (order 42 for 3.2 s), mail: for 120 ms`. */
  describeInFlight(): string {
    return describeRuns(this.#runs, this.options.clock.monotonic());
  }
}
