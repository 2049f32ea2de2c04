import { deferred, messageOf, textOf } from '@roost/kernel';
import { Deadline, formatDuration } from '@roost/time';
import type { ShutdownEvent } from './events.js';
import { exitCodeFor } from './exit-code.js';
import type { ShutdownHost } from './host.js';
import type { ResolvedShutdownOptions } from './options.js';
import type { PlannedPhase } from './phase-graph.js';
import { PhaseSequence } from './phase-sequence.js';
import { reportProgress } from './progress.js';
import type { ShutdownReason } from './reasons.js';
import { errorReport, isBad, type ShutdownReport, type ShutdownStatus, type TaskReport } from './report.js';
import { reportTable } from './report-table.js';
import type { TaskRegistry } from './task-registry.js';

export interface ShutdownRunContext {
  readonly plan: readonly PlannedPhase[];
  /** Read when the phase starts, because the timeout may change until then. */
  readonly timeoutOf: (phase: string) => number;
  readonly tasks: TaskRegistry;
  readonly options: ResolvedShutdownOptions;
  readonly reason: ShutdownReason;
  readonly fromPhase: string | undefined;
  /** Read after the phases, because a host may be attached while they run. */
  readonly host: () => ShutdownHost | undefined;
  readonly emit: (event: ShutdownEvent) => void;
  readonly onPhasesDone: (report: ShutdownReport) => void;
  readonly onTerminated: (report: ShutdownReport) => void;
}

/** The single run of a `CoordinatedShutdown`: phases, then the host, all within the overall deadline. */
export class ShutdownRun {
  readonly otherReasons: string[] = [];
  readonly sequence: PhaseSequence;
  readonly #deadline: Deadline;
  readonly #startedAt: number;
  #closing: ShutdownHost | undefined;
  #forced = false;
  #phasesOver = false;
  #closeFailure: TaskReport | undefined;

  constructor(private readonly context: ShutdownRunContext) {
    const { clock, timeoutMs } = context.options;
    this.#startedAt = clock.monotonic();
    this.#deadline = Deadline.after(timeoutMs, clock);
    this.sequence = new PhaseSequence({ ...context, deadline: this.#deadline });
  }

  async start(): Promise<void> {
    const { options, reason, emit, onPhasesDone, onTerminated } = this.context;
    const { clock, logger, timeoutMs } = options;
    logger.log(`shutdown started: ${textOf(reason)}, at most ${formatDuration(timeoutMs)}`);
    emit({ type: 'shutdown.started', reason });
    const expired = deferred();
    const timer = clock.setTimer(this.#deadline.left(), () => {
      this.#force();
      expired.resolve();
    });
    const progress = reportProgress(clock, logger, () => this.#progressLine());

    await this.sequence.start();
    this.#phasesOver = true;
    emit({ type: 'shutdown.finished', report: this.report() });
    onPhasesDone(this.report());

    this.#closing = this.context.host();
    if (this.#closing) await Promise.race([this.#close(this.#closing), expired.promise]);
    timer.cancel();
    progress.cancel();
    const report = this.report();
    logger[report.status === 'completed' ? 'log' : 'error'](reportTable(report));
    onTerminated(report);
  }

  /** Exit code if the process ended now without being forced. */
  get exitCode(): number {
    return this.#phasesOver ? this.report().exitCode : 0;
  }

  /** Returns the report as of now. */
  report(): ShutdownReport {
    const { options, reason } = this.context;
    const status = this.#status;
    return {
      reason: textOf(reason),
      otherReasons: [...this.otherReasons],
      status,
      exitCode: exitCodeFor(reason, status, options.exit),
      durationMs: options.clock.monotonic() - this.#startedAt,
      phases: this.sequence.phases,
      ...(this.#closing && { hooks: this.#hooks(this.#forced) }),
    };
  }

  /** Logs the work that is still running, before the process is ended by force. */
  nameTheStuck(why: string): void {
    const stuck = this.#pending();
    this.context.options.logger.error(
      [`${why}; still running:`, ...(stuck.length > 0 ? stuck : ['nothing'])].join('\n  '),
    );
    this.context.emit({ type: 'shutdown.forced', stuck });
  }

  get #status(): ShutdownStatus {
    if (this.#forced) return 'forced';
    const { status } = this.sequence;
    return status === 'completed' && this.#hooks(false).some((hook) => isBad(hook.status)) ? 'failed' : status;
  }

  #force(): void {
    this.nameTheStuck(`the shutdown passed its overall deadline of ${formatDuration(this.context.options.timeoutMs)}`);
    this.#forced = true;
    this.sequence.force();
  }

  async #close(host: ShutdownHost): Promise<void> {
    const { clock } = this.context.options;
    const since = clock.monotonic();
    try {
      await host.close(this.context.reason);
    } catch (error) {
      const durationMs = clock.monotonic() - since;
      this.#closeFailure = { name: 'close', status: 'failed', durationMs, error: errorReport(error) };
      this.context.options.logger.error(`closing the application failed: ${messageOf(error)}`);
    }
  }

  #pending(): string[] {
    return [...this.sequence.running.map(String), ...this.#ask((host) => host.pending())];
  }

  /** Adds a failure to close as a hook, unless a failed hook already explains it. */
  #hooks(cutOff: boolean): TaskReport[] {
    const hooks = this.#ask((host) => host.hooks(cutOff));
    return this.#closeFailure && !hooks.some((hook) => isBad(hook.status)) ? [...hooks, this.#closeFailure] : hooks;
  }

  /** Queries the host. An error it throws must not stop the shutdown. */
  #ask<T>(question: (host: ShutdownHost) => T[]): T[] {
    try {
      return this.#closing ? question(this.#closing) : [];
    } catch (error) {
      this.context.options.logger.error(`cannot read the closing status of the host: ${messageOf(error)}`);
      return [];
    }
  }

  #progressLine(): string | undefined {
    const pending = this.#pending();
    if (pending.length === 0) return undefined;
    const shown = pending.slice(0, 5).join(', ') + (pending.length > 5 ? ` and ${pending.length - 5} more` : '');
    return `waiting for ${shown}; ${formatDuration(this.#deadline.left())} left`;
  }
}
