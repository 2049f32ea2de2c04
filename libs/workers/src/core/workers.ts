import { type ProcessDefinition, resolveDefinition } from './definition.js';
import { describeRuns, type ProcessDescription } from './description.js';
import { DuplicateProcessError } from './errors/duplicate-process.error.js';
import { ProcessesFailedError } from './errors/processes-failed.error.js';
import { ProcessesStuckError } from './errors/processes-stuck.error.js';
import { WorkersStoppedError } from './errors/workers-stopped.error.js';
import { type ResolvedWorkersOptions, resolveOptions, type WorkersOptions } from './options.js';
import { assertFunction, check } from './option-checks.js';
import { Run } from './run.js';
import type { RunToken } from './run-token.js';
import { RunsInFlight } from './runs-in-flight.js';
import { SupervisedProcess } from './supervised-process.js';

/** @publicApi */
export interface RunGracefullyOptions {
  /** For logs and errors. @default the name of the function */
  name?: string;
}

/** @publicApi */
export type WorkersState = 'waiting' | 'running' | 'stopping' | 'closed';

/**
 * Background processes, and pieces of work, that a shutdown lets come to their end. The steps of its life are `start`,
 * `requestStop`, `finish`, `close`, in this order; a step that comes again does nothing, and one that is left out is
 * made up for by the next.
 *
 * Nothing polls: whoever waits is told in the moment when the last one ends.
 *
 * @publicApi
 */
export class Workers {
  readonly options: ResolvedWorkersOptions;
  readonly #processes = new Map<string, SupervisedProcess>();
  readonly #runs: RunsInFlight;
  #state: WorkersState = 'waiting';
  #longestChosenWaitMs = 0;

  /** @throws InvalidWorkerOptionError */
  constructor(options: WorkersOptions = {}) {
    this.options = resolveOptions(options);
    this.#runs = new RunsInFlight(this.options.clock);
  }

  get state(): WorkersState {
    return this.#state;
  }

  /** What a shutdown would wait for now: processes in a step, work under `runGracefully`, holds, and consumed items. */
  get inFlight(): number {
    let inFlight = 0;
    for (const run of this.#runs) inFlight += run.inFlight;
    return inFlight;
  }

  /** The longest a `finish()` can take. */
  get longestWaitMs(): number {
    return Math.max(this.options.maxWaitMs, this.longestChosenWaitMs);
  }

  /** As far as somebody has chosen it for a process; 0 when nobody has. */
  get longestChosenWaitMs(): number {
    return this.#longestChosenWaitMs;
  }

  /**
   * Adds a background process. It is started by `start()`, or at once when that has been called.
   *
   * @throws DuplicateProcessError, InvalidWorkerOptionError
   * @throws WorkersStoppedError when they are told to stop
   */
  add(definition: ProcessDefinition): void {
    const { clock, logger } = this.options;
    const resolved = resolveDefinition(definition, this.options);
    const { name, declaredBy } = resolved;
    const other = this.#processes.get(name);
    if (other) throw new DuplicateProcessError(name, [other.definition.declaredBy, declaredBy]);
    if (this.#state === 'stopping' || this.#state === 'closed') {
      throw new WorkersStoppedError(`The background process "${name}" of ${declaredBy}`, this.#state);
    }
    const process = new SupervisedProcess(resolved, { clock, logger, runs: this.#runs });
    this.#processes.set(name, process);
    this.#longestChosenWaitMs = Math.max(this.#longestChosenWaitMs, definition.maxWaitMs ?? 0);
    if (this.#state === 'running') process.start();
  }

  /** Starts all processes. Does nothing once they have been told to stop. */
  start(): void {
    if (this.#state !== 'waiting') return;
    this.#state = 'running';
    for (const process of this.#processes.values()) process.start();
  }

  /**
   * Runs a piece of work that a shutdown waits for. It is not restarted: what it returns or throws is the caller's. While
   * the processes are being stopped it still runs, with `isRunning()` false from the beginning.
   *
   * @throws InvalidWorkerOptionError
   * @throws WorkersStoppedError once they have stopped
   */
  async runGracefully<T>(fn: (run: RunToken) => T | PromiseLike<T>, options?: RunGracefullyOptions): Promise<T> {
    assertFunction(fn, 'runGracefully(fn)');
    if (options !== undefined) check.knownKeys(options, ['name'], 'runGracefully(options)');
    const name = options?.name ?? (fn.name || 'work');
    if (this.#state === 'closed') throw new WorkersStoppedError(`runGracefully("${name}")`, 'closed');
    const { clock, logger, maxWaitMs } = this.options;
    const run = new Run({ name, maxWaitMs, clock, logger, runs: this.#runs });
    if (this.#state === 'stopping') run.stop();
    return run.execute(fn);
  }

  /** `isRunning()` turns false, signals abort, sleeps end, and nothing is restarted any more. */
  requestStop(): void {
    if (this.#state === 'stopping' || this.#state === 'closed') return;
    this.#state = 'stopping';
    this.#runs.stopRequestedAt = this.options.clock.monotonic();
    for (const process of this.#processes.values()) process.requestStop();
    for (const run of [...this.#runs]) run.stop();
  }

  /**
   * Tells them to stop, and resolves as soon as every process, `runGracefully` and hold has ended. Those that go on for
   * longer than `maxWaitMs` after they were told are not waited for any longer, while the others are; after `limitMs`
   * nothing is.
   *
   * @throws ProcessesStuckError which names what was not waited for
   * @throws ProcessesFailedError when processes have thrown since they were told to stop
   */
  async finish(limitMs = Infinity): Promise<void> {
    this.requestStop();
    const { clock } = this.options;
    const begunAt = clock.monotonic();
    const stuck = await this.#runs.whenOver(Math.max(0, limitMs));
    const failures = [...this.#processes.values()].flatMap(({ name, failureWhileStopping: failure }) =>
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

  /** From now on `runGracefully`, `add` and `hold` are refused. What is still going on is left to itself. */
  close(): void {
    this.requestStop();
    this.#state = 'closed';
    this.#runs.isClosed = true;
  }

  /** Every process, in the order in which they were added. */
  describe(): ProcessDescription[] {
    return [...this.#processes.values()].map((process) => process.describe());
  }

  /** What a shutdown is waiting for, in one line: `consumer: step 1042 (order 42 for 3.2 s), mail: for 120 ms`. */
  describeLeft(): string {
    return describeRuns(this.#runs, this.options.clock.monotonic());
  }
}
