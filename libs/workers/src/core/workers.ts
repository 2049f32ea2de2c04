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

/** Options of `Workers.runGracefully()`. @publicApi */
export interface RunGracefullyOptions {
  /** Name for logs and errors. @default the name of the function */
  name?: string;
}

/** `stopping` after `requestStop()`, `stopped` after `close()`. @publicApi */
export type WorkersState = 'ready' | 'running' | 'stopping' | 'stopped';

/**
 * Runs background processes and other work that a shutdown lets finish. Inject it to run other work with
 * `runGracefully()`. Without Nest, call `start`, `requestStop`, `finish` and `close` in this order. Calling a step
 * again does nothing. `finish` and `close` request the stop if that has not happened yet.
 *
 * There is no polling: `finish` resolves as soon as the last run has ended.
 *
 * @example
 * ```ts
 * import type { Workers } from '@roost/workers';
 *
 * export function startExport(workers: Workers, id: string): void {
 *   const upload = (signal: AbortSignal) => fetch(`https://example.com/exports/${id}`, { method: 'POST', signal });
 *   // The shutdown waits for the export, although no caller does.
 *   void workers.runGracefully((run) => upload(run.signal), { name: `export ${id}` });
 * }
 * ```
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

  /** Work that a shutdown would wait for now: processes in a step, `runGracefully` calls, holds and consumed items. */
  get inFlight(): number {
    let inFlight = 0;
    for (const run of this.#runs) inFlight += run.inFlight;
    return inFlight;
  }

  /** The longest time in ms that `finish()` can take. */
  get longestWaitMs(): number {
    return Math.max(this.options.maxWaitMs, this.#longestChosenWaitMs);
  }

  /** The longest wait in ms set by an option, an env variable or a process. It is 0 when all use the default. */
  get longestChosenWaitMs(): number {
    return this.#longestChosenWaitMs;
  }

  /**
   * Adds a background process. `start()` starts it; after `start()` it starts immediately.
   *
   * @throws DuplicateProcessError, InvalidWorkerOptionError
   * @throws WorkersStoppedError after the stop request
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

  /** Starts all processes. Does nothing after the stop request. */
  start(): void {
    if (this.#state !== 'ready') return;
    this.#state = 'running';
    for (const worker of this.#workers.values()) worker.start();
  }

  /**
   * Runs work that a shutdown waits for. The work is not restarted: the caller gets its result or error. Work started
   * after the stop request still runs, with `isRunning()` false from the beginning.
   *
   * @throws InvalidWorkerOptionError
   * @throws WorkersStoppedError after the workers have stopped
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

  /** Makes `isRunning()` return false, aborts signals, ends sleeps, and prevents restarts. */
  requestStop(): void {
    if (this.#state === 'stopping' || this.#state === 'stopped') return;
    this.#state = 'stopping';
    this.#runs.stopRequestedAt = this.options.clock.monotonic();
    for (const worker of this.#workers.values()) worker.requestStop();
    for (const run of [...this.#runs]) run.stop();
  }

  /**
   * Requests the stop, and resolves as soon as every process, `runGracefully` call and hold has ended. It waits for
   * each up to `maxWaitMs` after the request, and for all together up to `limitMs` from now.
   *
   * @throws ProcessesStuckError which names the processes that have not ended
   * @throws ProcessesFailedError when processes threw after the stop request
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

  /** Rejects `runGracefully`, `add` and `hold` from now on. Work that is still running is no longer waited for. */
  close(): void {
    this.requestStop();
    this.#state = 'stopped';
    this.#runs.isClosed = true;
  }

  /** Describes every process, in the order in which they were added. */
  describe(): WorkerDescription[] {
    return [...this.#workers.values()].map((worker) => worker.describe());
  }

  /**
   * Describes the work that a shutdown waits for in one line: `consumer: step 1042 (order 42 for 3.2 s), mail: for 120
   * ms`.
   */
  describeInFlight(): string {
    return describeRuns(this.#runs, this.options.clock.monotonic());
  }
}
