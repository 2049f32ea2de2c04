import type { RoostLogger } from '@roost/kernel';
import { type Clock, Deadline, type Timer } from '@roost/time';
import type { ShutdownEvent } from './events.js';
import type { PlannedPhase } from './phase-graph.js';
import type { ShutdownReason } from './reasons.js';
import type { PhaseReport, PhaseStatus } from './report.js';
import type { RegisteredTask } from './task-registry.js';
import { TaskRun } from './task-run.js';

export interface PhaseRunContext {
  readonly clock: Clock;
  readonly logger: RoostLogger;
  readonly reason: ShutdownReason;
  /** Deadline of the whole shutdown. */
  readonly deadline: Deadline;
  readonly emit: (event: ShutdownEvent) => void;
}

/** One run of a phase. Starts all tasks together and finishes when all of them have settled or the phase times out. */
export class PhaseRun {
  readonly #running = new Set<TaskRun>();
  readonly #runs: TaskRun[] = [];
  readonly #startedAt: number;
  #timer: Timer | undefined;
  #finished: ((report: PhaseReport) => void) | undefined;
  #allStarted = false;

  constructor(
    private readonly phase: PlannedPhase,
    private readonly tasks: readonly RegisteredTask[],
    private readonly context: PhaseRunContext,
  ) {
    this.#startedAt = context.clock.monotonic();
  }

  /** Tasks that have not settled yet. */
  get running(): ReadonlySet<TaskRun> {
    return this.#running;
  }

  start(): Promise<PhaseReport> {
    const { clock, logger, reason, deadline, emit } = this.context;
    emit({ type: 'phase.started', phase: this.phase.name, tasks: this.tasks.length });
    const own = Deadline.after(this.phase.timeoutMs, clock);
    const phaseDeadline = deadline.min(own);
    const done = new Promise<PhaseReport>((resolve) => (this.#finished = resolve));
    const settled = (run: TaskRun) => this.#taskSettled(run);
    for (const task of this.tasks) {
      const limit =
        task.timeoutMs === undefined ? phaseDeadline : phaseDeadline.min(Deadline.after(task.timeoutMs, clock));
      const run = new TaskRun(task, limit, clock, logger, settled);
      this.#runs.push(run);
      this.#running.add(run);
      emit({ type: 'task.started', phase: this.phase.name, task: task.name });
      run.start(reason);
    }
    this.#allStarted = true;
    if (this.#running.size > 0) this.#timer = clock.setTimer(own.left(), () => this.expire('phase'));
    this.#finishWhenIdle();
    return done;
  }

  expire(scope: 'phase' | 'overall'): void {
    for (const run of [...this.#running]) run.expire(scope);
  }

  #taskSettled(run: TaskRun): void {
    this.#running.delete(run);
    const report = run.report!;
    const type =
      report.status === 'completed' ? 'task.finished' : report.status === 'failed' ? 'task.failed' : 'task.timed-out';
    this.context.emit({ type, phase: this.phase.name, task: report.name, report });
    this.#finishWhenIdle();
  }

  #finishWhenIdle(): void {
    if (!this.#allStarted || this.#running.size > 0) return;
    this.#timer?.cancel();
    const tasks = this.#runs.map((run) => run.report!);
    const has = (status: PhaseStatus) => tasks.some((task) => task.status === status);
    const status = has('timed-out') ? 'timed-out' : has('failed') ? 'failed' : 'completed';
    const durationMs = this.context.clock.monotonic() - this.#startedAt;
    this.#finished?.({ name: this.phase.name, status, durationMs, tasks });
  }
}
