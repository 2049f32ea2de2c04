import { Deadline, formatDuration } from '@roost/time';
import type { ShutdownEvent } from './events.js';
import { exitCodeFor } from './exit-code.js';
import type { ShutdownHost } from './host.js';
import type { ResolvedShutdownOptions } from './options.js';
import type { PlannedPhase } from './phase-graph.js';
import { PhaseSequence } from './phase-sequence.js';
import { reportProgress } from './progress.js';
import { messageOf, type ShutdownReason } from './reasons.js';
import { isBad, type ShutdownReport, type ShutdownStatus } from './report.js';
import { reportTable } from './report-table.js';
import type { TaskRegistry } from './task-registry.js';
import type { TaskRun } from './task-run.js';

export interface ShutdownRunContext {
  readonly plan: readonly PlannedPhase[];
  readonly tasks: TaskRegistry;
  readonly options: ResolvedShutdownOptions;
  readonly reason: ShutdownReason;
  readonly fromPhase: string | undefined;
  /** Asked for when the phases are over: a host may be attached during them. */
  readonly host: () => ShutdownHost | undefined;
  readonly emit: (event: ShutdownEvent) => void;
  readonly onPhasesDone: (report: ShutdownReport) => void;
  readonly onTerminated: (report: ShutdownReport) => void;
}

/** The one shutdown of a `CoordinatedShutdown`: phases, then the host, all of it before the overall deadline. */
export class ShutdownRun {
  readonly otherReasons: string[] = [];
  readonly #sequence: PhaseSequence;
  readonly #deadline: Deadline;
  readonly #startedAt: number;
  #closing: ShutdownHost | undefined;
  #forced = false;
  #phasesOver = false;

  constructor(private readonly context: ShutdownRunContext) {
    const { clock, timeoutMs } = context.options;
    this.#startedAt = clock.monotonic();
    this.#deadline = Deadline.after(timeoutMs, clock);
    this.#sequence = new PhaseSequence({ ...context, deadline: this.#deadline });
  }

  async start(): Promise<void> {
    const { options, reason, emit, onPhasesDone, onTerminated } = this.context;
    const { clock, logger, timeoutMs } = options;
    logger.log(`shutdown started: ${String(reason)}, at most ${formatDuration(timeoutMs)}`);
    emit({ type: 'shutdown.started', reason });
    let timer = { cancel() {} };
    const expired = new Promise<void>((resolve) => {
      timer = clock.setTimer(timeoutMs, () => {
        this.#force();
        resolve();
      });
    });
    const progress = reportProgress(clock, logger, () => this.#progressLine());

    await this.#sequence.start();
    this.#phasesOver = true;
    emit({ type: 'shutdown.finished', report: this.report() });
    onPhasesDone(this.report());

    this.#closing = this.context.host();
    if (this.#closing) await Promise.race([this.#close(this.#closing), expired]);
    timer.cancel();
    progress.cancel();
    const report = this.report();
    logger.log(reportTable(report));
    emit({ type: 'shutdown.terminated', report });
    onTerminated(report);
  }

  /** Why a phase takes no more tasks, or undefined when it still does. */
  tooLateFor(phase: string): string | undefined {
    return this.#sequence.tooLateFor(phase);
  }

  isRunning(task: TaskRun): boolean {
    return this.#sequence.running.includes(task);
  }

  /** What the process would exit with if it ended now by its own will. */
  get exitCode(): number {
    return this.#phasesOver ? this.report().exitCode : 0;
  }

  /** As it stands now. */
  report(): ShutdownReport {
    const { options, reason } = this.context;
    const status = this.#status;
    return {
      reason: String(reason),
      otherReasons: [...this.otherReasons],
      status,
      exitCode: exitCodeFor(reason, status, options.exit),
      durationMs: options.clock.monotonic() - this.#startedAt,
      phases: this.#sequence.phases,
      ...(this.#closing && { hooks: this.#closing.hooks(this.#forced) }),
    };
  }

  /** The last words before the process is ended by force. */
  nameTheStuck(why: string): void {
    const stuck = this.#pending();
    this.context.options.logger.error(
      [`${why}; still running:`, ...(stuck.length > 0 ? stuck : ['nothing'])].join('\n  '),
    );
    this.context.emit({ type: 'shutdown.forced', stuck });
  }

  get #status(): ShutdownStatus {
    if (this.#forced) return 'forced';
    const { status } = this.#sequence;
    return status === 'completed' && this.#closing?.hooks(false).some((hook) => isBad(hook.status)) ? 'failed' : status;
  }

  #force(): void {
    this.nameTheStuck(`the shutdown passed its overall deadline of ${formatDuration(this.context.options.timeoutMs)}`);
    this.#forced = true;
    this.#sequence.force();
  }

  async #close(host: ShutdownHost): Promise<void> {
    try {
      await host.close(this.context.reason);
    } catch (error) {
      this.context.options.logger.error(`closing the application failed: ${messageOf(error)}`);
    }
  }

  #pending(): string[] {
    return [...this.#sequence.running.map(String), ...(this.#closing?.pending() ?? [])];
  }

  #progressLine(): string | undefined {
    const pending = this.#pending();
    if (pending.length === 0) return undefined;
    const shown = pending.slice(0, 5).join(', ') + (pending.length > 5 ? ` and ${pending.length - 5} more` : '');
    return `waiting for ${shown}; ${formatDuration(this.#deadline.left())} left`;
  }
}
