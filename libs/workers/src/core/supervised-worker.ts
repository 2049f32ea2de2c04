import { counted, messageOf, type RoostLogger, stackOf } from '@roost/kernel';
import { type Clock, formatDuration, type Timer } from '@roost/time';
import { Restarts } from './restart-policy.js';
import { type Failure, Run } from './run/run.js';
import type { RunsInFlight } from './run/runs-in-flight.js';
import { isNormalEnding } from './stop-signal/normal-ending.js';
import type { ResolvedWorkerDefinition } from './worker-definition.js';
import type { WorkerDescription, WorkerState } from './worker-description.js';

export interface SupervisionContext {
  readonly clock: Clock;
  readonly logger: RoostLogger;
  readonly runs: RunsInFlight<Run>;
}

/** One worker, that is, a background process, through all its runs. Its policy decides whether another run follows. */
export class SupervisedWorker {
  readonly name: string;
  /** The error that it threw after the stop request. */
  failureWhileStopping: Failure | undefined;
  readonly #restarts: Restarts;
  /** Runs that have not ended: the current one, and earlier ones that still have holds. */
  readonly #runs = new Set<Run>();
  #current: Run | undefined;
  #restartTimer: Timer | undefined;
  #phase: Exclude<WorkerState, 'stopping'> = 'ready';
  #isStopping = false;
  #stepsBefore = 0;
  #lastError: string | undefined;
  #seen: { state: WorkerState; since: number };

  constructor(
    readonly definition: ResolvedWorkerDefinition,
    private readonly context: SupervisionContext,
  ) {
    this.name = definition.name;
    this.#restarts = new Restarts(definition.restart, context.clock);
    this.#seen = { state: 'ready', since: context.clock.monotonic() };
  }

  get state(): WorkerState {
    if (this.#phase === 'failed') return 'failed';
    return this.#isStopping && this.#runs.size > 0 ? 'stopping' : this.#phase;
  }

  /** Starts the first run. Does nothing if it has already started or must stop. */
  start(): void {
    if (this.#phase === 'ready') this.#begin();
  }

  /** Called once. Cancels a restart that is waiting for its delay. */
  requestStop(): void {
    this.#isStopping = true;
    this.#restartTimer?.cancel();
    if (!this.#current && this.#phase !== 'failed') this.#phase = 'stopped';
    this.#noteState();
    this.#current?.stop();
  }

  describe(): WorkerDescription {
    const now = this.context.clock.monotonic();
    const runs = [...this.#runs];
    const leases = runs.flatMap((run) => [...run.leases]);
    return {
      name: this.name,
      state: this.state,
      steps: this.#stepsBefore + (this.#current?.steps ?? 0),
      restarts: this.#restarts.total,
      crashLoop: this.#isInCrashLoop(now),
      ...(this.#lastError !== undefined && { lastError: this.#lastError }),
      holds: leases.map(({ name, heldSince }) => ({ name, ageMs: now - heldSince })),
      itemsInFlight: runs.reduce((sum, run) => sum + run.itemsInFlight, 0),
      inFlight: runs.reduce((sum, run) => sum + run.inFlight, 0),
      sinceMs: now - this.#seen.since,
    };
  }

  #isInCrashLoop(now: number): boolean {
    const isWell = this.#current !== undefined && now - this.#current.startedAt >= this.definition.restart.resetAfterMs;
    return this.#restarts.isCrashLoop && !isWell;
  }

  #begin(): void {
    const { clock, logger, runs } = this.context;
    const { name, maxWaitMs, handle } = this.definition;
    const run = new Run({
      name,
      maxWaitMs,
      clock,
      logger,
      runs,
      onSettled: (settled, failure) => failure && this.#failed(settled, failure),
      onEnded: (ended) => this.#ended(ended),
    });
    this.#phase = 'running';
    this.#current = run;
    this.#runs.add(run);
    this.#restarts.started();
    this.#noteState();
    // The callbacks above handle the outcome.
    run.execute(handle).catch(() => undefined);
  }

  #failed(run: Run, failure: Failure): void {
    const { error } = failure;
    this.#leave(run);
    if (!run.isStopping) {
      this.#lastError = messageOf(error);
      this.#next('failed', error);
      // Holds and items of this run must not continue alongside the next run.
      run.stop(failure);
    } else if (isNormalEnding(error, run.stopReason)) {
      this.#phase = 'stopped';
    } else {
      this.#lastError = messageOf(error);
      this.failureWhileStopping = failure;
      this.#phase = 'failed';
      this.context.logger.error(`process "${this.name}" failed while stopping: ${stackOf(error)}`);
    }
    this.#noteState();
  }

  #ended(run: Run): void {
    this.#runs.delete(run);
    if (run === this.#current) {
      this.#leave(run);
      if (run.isStopping) this.#phase = 'stopped';
      else this.#next('returned');
    }
    this.#noteState();
  }

  /** Turns the current run into an earlier one. */
  #leave(run: Run): void {
    this.#current = undefined;
    this.#stepsBefore += run.steps;
  }

  #next(how: 'failed' | 'returned', error?: unknown): void {
    const { logger, clock } = this.context;
    const { when, maxRestarts } = this.definition.restart;
    const delayMs = this.#restarts.ended(how);
    const text = how === 'failed' ? `: ${stackOf(error)}` : '';
    if (delayMs !== undefined) {
      this.#phase = 'restarting';
      this.#restartTimer = clock.setTimer(delayMs, () => this.#begin());
      const attempt = `restarting in ${formatDuration(delayMs)} (restart ${this.#restarts.inARow} in a row)`;
      logger[how === 'failed' ? 'warn' : 'log'](`process "${this.name}" ${how}; ${attempt}${text}`);
    } else if (how === 'returned' && when === 'failure') {
      this.#phase = 'stopped';
      logger.log(`process "${this.name}" finished`);
    } else {
      this.#phase = 'failed';
      const after = maxRestarts === 0 ? '' : ` after ${counted(maxRestarts, 'restart')} in a row`;
      logger.error(`process "${this.name}" ${how}${after} and is not restarted${text}`);
    }
  }

  #noteState(): void {
    const { state } = this;
    if (state !== this.#seen.state) this.#seen = { state, since: this.context.clock.monotonic() };
  }
}
