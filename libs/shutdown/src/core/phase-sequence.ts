import { counted } from '@roost/kernel';
import { type Deadline, formatDuration } from '@roost/time';
import type { ShutdownEvent } from './events.js';
import type { ResolvedShutdownOptions } from './options.js';
import type { PlannedPhase } from './phase-graph.js';
import { PhaseRun, type PhaseRunContext } from './phase-run.js';
import type { ShutdownReason } from './reasons.js';
import { isBad, type PhaseReport, type PhaseStatus, type ShutdownStatus } from './report.js';
import type { TaskRegistry } from './task-registry.js';
import type { TaskRun } from './task-run.js';

export interface PhaseSequenceContext {
  readonly plan: readonly PlannedPhase[];
  /** Read when the phase starts, because the timeout may change until then. */
  readonly timeoutOf: (phase: string) => number;
  readonly tasks: TaskRegistry;
  readonly options: ResolvedShutdownOptions;
  readonly reason: ShutdownReason;
  readonly deadline: Deadline;
  /** Phases before this one are skipped. */
  readonly fromPhase: string | undefined;
  readonly emit: (event: ShutdownEvent) => void;
}

/** Runs the phases from the first to the last. */
export class PhaseSequence {
  readonly #active = new Map<string, PhaseRun>();
  readonly #reports = new Map<string, PhaseReport>();
  #abortedBy: string | undefined;
  #forced = false;

  readonly #phaseContext: PhaseRunContext;

  constructor(private readonly context: PhaseSequenceContext) {
    const { options, reason, deadline, emit } = context;
    this.#phaseContext = { clock: options.clock, logger: options.logger, reason, deadline, emit };
  }

  /** Resolves when the last phase has finished. Never rejects. */
  async start(): Promise<void> {
    const { plan, options, fromPhase } = this.context;
    const first = fromPhase === undefined ? 0 : plan.findIndex((phase) => phase.name === fromPhase);
    const over = new Map<string, Promise<void>>();
    let previous = Promise.resolve();
    for (const [position, phase] of plan.entries()) {
      const earlier = options.concurrency === 'sequential' ? previous : allOf(phase.dependsOn, over);
      previous = earlier.then(() => this.#runPhase(phase, position < first));
      over.set(phase.name, previous);
    }
    await Promise.all(over.values());
  }

  /** Abandons running tasks and skips the remaining phases. */
  force(): void {
    this.#forced = true;
    for (const phase of this.#active.values()) phase.expire('overall');
  }

  statusOf(phase: string): PhaseStatus | 'pending' | 'running' {
    return this.#active.has(phase) ? 'running' : (this.#reports.get(phase)?.status ?? 'pending');
  }

  /** Returns why the phase no longer accepts tasks, or undefined if it still does. */
  tooLateFor(phase: string): string | undefined {
    const status = this.statusOf(phase);
    if (status === 'pending') return undefined;
    if (status === 'running') return 'it is already running';
    const now = [...this.#active.keys()].join(', ');
    return `it has already ended (${status})${now && `, and the shutdown is in ${now}`}`;
  }

  get running(): TaskRun[] {
    return [...this.#active.values()].flatMap((phase) => [...phase.running]);
  }

  isRunning(task: TaskRun): boolean {
    return this.#active.get(task.phase)?.running.has(task) ?? false;
  }

  get status(): ShutdownStatus {
    if (this.#forced) return 'forced';
    if (this.#abortedBy !== undefined) return 'aborted';
    return this.phases.some((phase) => isBad(phase.status)) ? 'failed' : 'completed';
  }

  get phases(): PhaseReport[] {
    return this.context.plan.flatMap(({ name }) => this.#reports.get(name) ?? []);
  }

  async #runPhase(phase: PlannedPhase, beforeStart: boolean): Promise<void> {
    const { tasks, timeoutOf, options } = this.context;
    if (beforeStart || this.#forced || this.#abortedBy !== undefined) return this.#pass(phase, 'skipped');
    if (!phase.enabled) return this.#pass(phase, 'disabled');
    const run = new PhaseRun(
      { ...phase, timeoutMs: timeoutOf(phase.name) },
      tasks.take(phase.name),
      this.#phaseContext,
    );
    this.#active.set(phase.name, run);
    const report = await run.start();
    this.#active.delete(phase.name);
    this.#finish(phase, report);
    if (isBad(report.status) && !phase.recover && !this.#forced) {
      this.#abortedBy ??= phase.name;
      options.logger.error(
        `phase ${phase.name} did not complete and has recover: false; skipping all phases that have not started`,
      );
    }
  }

  #pass(phase: PlannedPhase, status: 'skipped' | 'disabled'): void {
    const { tasks, options } = this.context;
    const names = tasks.take(phase.name).map((task) => task.name);
    if (names.length > 0) options.logger.log(`phase ${phase.name} ${status}: ${names.join(', ')} did not run`);
    const cancelled = names.map((name) => ({ name, status: 'cancelled' as const, durationMs: 0 }));
    this.#finish(phase, { name: phase.name, status, durationMs: 0, tasks: cancelled });
  }

  #finish(phase: PlannedPhase, report: PhaseReport): void {
    const { tasks, emit, options } = this.context;
    if (report.status !== 'skipped' && report.status !== 'disabled' && report.tasks.length > 0) {
      const bad = report.tasks.filter((task) => isBad(task.status));
      const line = `phase ${phase.name} ${report.status} in ${formatDuration(report.durationMs)}, ${counted(report.tasks.length, 'task')}`;
      if (bad.length === 0) options.logger.log(line);
      else
        options.logger.error(
          [`${line}:`, ...bad.map((task) => `${task.name} ${task.status}: ${task.error?.message}`)].join('\n  '),
        );
    }
    for (const name of tasks.cancelledIn(phase.name)) report.tasks.push({ name, status: 'cancelled', durationMs: 0 });
    this.#reports.set(phase.name, report);
    emit({ type: EVENT_OF[report.status], phase: phase.name, report });
  }
}

const EVENT_OF = {
  completed: 'phase.finished',
  failed: 'phase.failed',
  'timed-out': 'phase.timed-out',
  skipped: 'phase.skipped',
  disabled: 'phase.disabled',
} as const satisfies Record<PhaseStatus, ShutdownEvent['type']>;

const allOf = async (names: readonly string[], over: ReadonlyMap<string, Promise<void>>): Promise<void> => {
  await Promise.all(names.map((name) => over.get(name)!));
};
