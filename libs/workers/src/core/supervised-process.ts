import { counted, messageOf, type RoostLogger, stackOf } from '@roost/kernel';
import { type Clock, formatDuration, type Timer } from '@roost/time';
import type { ResolvedDefinition } from './definition.js';
import type { ProcessDescription, ProcessState } from './description.js';
import { isNormalEnding } from './normal-ending.js';
import { Restarts } from './restart-policy.js';
import { type Failure, Run } from './run.js';
import type { RunsInFlight } from './runs-in-flight.js';

export interface SupervisionContext {
  readonly clock: Clock;
  readonly logger: RoostLogger;
  readonly runs: RunsInFlight;
}

/** One background process through all its runs: starts it, and starts it again as its policy says. */
export class SupervisedProcess {
  readonly name: string;
  /** What it threw after it was told to stop. */
  failureWhileStopping: Failure | undefined;
  readonly #restarts: Restarts;
  /** Those that are not over: the current one, and earlier ones with holds left. */
  readonly #runs = new Set<Run>();
  #current: Run | undefined;
  #restartTimer: Timer | undefined;
  #phase: Exclude<ProcessState, 'stopping'> = 'waiting';
  #isStopping = false;
  #stepsBefore = 0;
  #lastError: string | undefined;
  #seen: { state: ProcessState; since: number };

  constructor(
    readonly definition: ResolvedDefinition,
    private readonly context: SupervisionContext,
  ) {
    this.name = definition.name;
    this.#restarts = new Restarts(definition.restart, context.clock);
    this.#seen = { state: 'waiting', since: context.clock.monotonic() };
  }

  get state(): ProcessState {
    if (this.#phase === 'failed') return 'failed';
    return this.#isStopping && this.#runs.size > 0 ? 'stopping' : this.#phase;
  }

  /** Only the first time, and not when it has been told to stop. */
  start(): void {
    if (this.#phase === 'waiting') this.#begin();
  }

  /** Once. A restart that waits for its time is given up. */
  requestStop(): void {
    this.#isStopping = true;
    this.#restartTimer?.cancel();
    if (!this.#current && this.#phase !== 'failed') this.#phase = 'ended';
    this.#noteState();
    this.#current?.stop();
  }

  describe(): ProcessDescription {
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
      onOver: (over) => this.#over(over),
    });
    this.#phase = 'running';
    this.#current = run;
    this.#runs.add(run);
    this.#restarts.started();
    this.#noteState();
    // How it ends is told by the callbacks above.
    run.execute(handle).catch(() => undefined);
  }

  #failed(run: Run, failure: Failure): void {
    const { error } = failure;
    this.#leave(run);
    if (!run.isStopping) {
      this.#lastError = messageOf(error);
      this.#next('failed', error);
      // What is left of this run must not go on beside the next one.
      run.stop(failure);
    } else if (isNormalEnding(error, run.stopReason)) {
      this.#phase = 'ended';
    } else {
      this.#lastError = messageOf(error);
      this.failureWhileStopping = failure;
      this.#phase = 'failed';
      this.context.logger.error(`process "${this.name}" failed while stopping: ${stackOf(error)}`);
    }
    this.#noteState();
  }

  #over(run: Run): void {
    this.#runs.delete(run);
    if (run === this.#current) {
      this.#leave(run);
      if (run.isStopping) this.#phase = 'ended';
      else this.#next('returned');
    }
    this.#noteState();
  }

  /** From here on it is an earlier run. */
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
      const attempt = `restart ${this.#restarts.inARow} in a row, in ${formatDuration(delayMs)}`;
      logger[how === 'failed' ? 'warn' : 'log'](`process "${this.name}" ${how}; ${attempt}${text}`);
    } else if (how === 'returned' && when === 'failure') {
      this.#phase = 'ended';
      logger.log(`process "${this.name}" has ended`);
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
