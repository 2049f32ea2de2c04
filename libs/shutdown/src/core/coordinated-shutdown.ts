import { textOf } from '@roost/kernel';
import { type Observable, Subject } from 'rxjs';
import { budgetWarning, totalBudgetMs } from './budget.js';
import { AwaitedInTaskError } from './errors/awaited-in-task.error.js';
import { LatePhaseError } from './errors/late-phase.error.js';
import { PhaseGraphLockedError } from './errors/phase-graph-locked.error.js';
import { ShutdownFailedError } from './errors/shutdown-failed.error.js';
import { UnknownPhaseError } from './errors/unknown-phase.error.js';
import type { ShutdownEvent } from './events.js';
import type { ShutdownHost } from './host.js';
import {
  assertSignals,
  type CoordinatedShutdownOptions,
  type ResolvedShutdownOptions,
  resolveShutdownOptions,
} from './options.js';
import { check } from './option-checks.js';
import type { PhaseName, PhaseOptions } from './phase.js';
import { PhaseGraph } from './phase-graph.js';
import { describePlan, type PhasePlan } from './phase-plan.js';
import { PhaseTimes, type PhaseTimeOptions } from './phase-time.js';
import { ProcessHooks } from './process/process-hooks.js';
import type { ProcessLike } from './process/process-like.js';
import { type ShutdownReason, toReason } from './reasons.js';
import type { ShutdownReport } from './report.js';
import { withResolvers } from './run-promise.js';
import { ShutdownRun } from './shutdown-run.js';
import type { ShutdownTaskFunction, TaskHandle, TaskOptions, TerminationTarget } from './task.js';
import { TaskRegistry } from './task-registry.js';
import { currentTask } from './task-run.js';
import { terminationTask } from './termination-task.js';

/** @publicApi */
export interface RunOptions {
  /** First phase to run; the phases before it are skipped. An unknown name is logged, and all phases run. */
  fromPhase?: PhaseName;
}

/** @publicApi */
export type ShutdownState = 'running' | 'stopping' | 'stopped';

/**
 * Runs registered tasks in ordered phases. It runs once, no matter what triggers it and how often.
 *
 * All tasks of a phase start together. The next phase starts when all of them have settled or the phase times out.
 * `run` neither throws nor rejects (but see `throwOnFailure`). The outcome of a task after its timeout is ignored.
 *
 * @example
 * ```ts
 * import { CoordinatedShutdown, Phase } from '@roost/shutdown';
 *
 * export function flushAtShutdown(shutdown: CoordinatedShutdown, outbox: { flush(): Promise<void> }): void {
 *   shutdown.addTask(Phase.BeforeActorSystemTerminate, 'flush-outbox', () => outbox.flush(), { timeoutMs: 2_000 });
 * }
 * ```
 *
 * @publicApi
 */
export class CoordinatedShutdown {
  readonly options: ResolvedShutdownOptions;
  /** Emits synchronously and completes when the shutdown has terminated. Late subscribers get no replay. */
  readonly events$: Observable<ShutdownEvent>;

  readonly #graph: PhaseGraph;
  readonly #tasks = new TaskRegistry();
  readonly #events = new Subject<ShutdownEvent>();
  readonly #processHooks: ProcessHooks;
  readonly #phaseTimes: PhaseTimes;
  readonly #inFlightGauges = new Set<() => number>();
  readonly #phasesDone = withResolvers<ShutdownReport>(() => this.#refuseDeadlock());
  readonly #terminated = withResolvers<ShutdownReport>(() => this.#refuseDeadlock());
  #host: ShutdownHost | undefined;
  #run: ShutdownRun | undefined;
  #reason: ShutdownReason | undefined;
  #state: ShutdownState = 'running';

  constructor(options: CoordinatedShutdownOptions = {}, proc: ProcessLike = process) {
    this.options = resolveShutdownOptions(options);
    this.#graph = new PhaseGraph(this.options.phases, this.options.defaultPhaseTimeoutMs);
    this.#phaseTimes = new PhaseTimes({
      graph: this.#graph,
      options: this.options,
      totalMs: () => this.totalTimeoutMs,
      isPending: (phase) => this.#whyTooLate(phase) === undefined,
    });
    this.events$ = this.#events.asObservable();
    this.#processHooks = new ProcessHooks(
      {
        options: this.options,
        terminated: this.#terminated.promise.then((report) => report),
        reason: () => this.#reason,
        host: () => this.#host,
        current: () => this.#run,
        announce: (reason) => (this.#reason = reason),
        run: (reason) => this.run(reason),
      },
      proc,
    );
    // Under throwOnFailure, a run triggered by a signal has no caller to handle the rejection.
    this.#phasesDone.promise.catch(() => undefined);
  }

  /**
   * Reason of the shutdown: its first trigger. A signal during boot sets it at once, although `state` stays `running`
   * until the boot has settled.
   */
  get reason(): ShutdownReason | undefined {
    return this.#reason;
  }

  /** `stopping` from the call of `run()` on, `stopped` when the phases and the host's own hooks have finished. */
  get state(): ShutdownState {
    return this.#state;
  }

  /** Whether the host has booted. Under Nest: whether `onApplicationBootstrap` of every provider has finished. */
  get booted(): boolean {
    return this.#host?.booted ?? true;
  }

  /** Resolves when everything has finished, including the host's hooks. Never rejects. */
  get terminated(): Promise<ShutdownReport> {
    return this.#terminated.promise;
  }

  /** Longest time the registered tasks can take, in ms. Phases without tasks do not count. */
  get totalTimeoutMs(): number {
    return totalBudgetMs(this.#graph.plan, this.#tasks, this.options.concurrency);
  }

  /**
   * Registers a task. During the shutdown, phases that have not started still accept tasks.
   *
   * @throws UnknownPhaseError, DuplicateTaskError, InvalidNameError, InvalidTaskError, InvalidTimeoutError
   * @throws LatePhaseError if the phase has started
   */
  addTask(phase: PhaseName, name: string, task: ShutdownTaskFunction, options: TaskOptions = {}): TaskHandle {
    const { declaredBy = 'addTask()' } = options;
    this.#graph.get(phase, `${declaredBy} of task "${name}"`);
    this.#assertInTime(phase, `Task "${name}" (${declaredBy})`);
    return this.#tasks.add(phase, name, task, options);
  }

  /** Registers a task that stops the target, with `stopMessage` if given, and waits until it has terminated. */
  addActorTerminationTask<M>(
    phase: PhaseName,
    name: string,
    target: TerminationTarget<M>,
    stopMessage?: M,
  ): TaskHandle {
    const task = terminationTask(phase, name, target, stopMessage);
    return this.addTask(phase, name, task, { declaredBy: 'addActorTerminationTask()' });
  }

  /** Declares a phase. The phases it refers to must exist. Throws once the shutdown has started. */
  addPhase(name: string, options: PhaseOptions = {}): void {
    if (this.#run) throw new PhaseGraphLockedError(name);
    this.#graph.add(name, options);
  }

  /** @throws UnknownPhaseError, InvalidTimeoutError, and LatePhaseError if the phase has started */
  setPhaseTimeout(phase: PhaseName, timeoutMs: number): void {
    const where = `setPhaseTimeout("${phase}")`;
    this.#graph.get(phase, where);
    this.#assertInTime(phase, where);
    this.#graph.setTimeout(phase, timeoutMs, where);
  }

  /**
   * Extends the timeout of a phase so that a task which may need `ms` fits, plus `FORCE_MARGIN_MS` to stop unfinished
   * work by force. A timeout that the application has set for the phase wins; if it is too short, `budgetWarnings()`
   * reports it. A function is called again by `budgetWarnings()`, which runs during Nest's boot, and when the shutdown
   * starts. Does nothing once the phase has started.
   *
   * @example
   * ```ts
   * import { CoordinatedShutdown, Phase } from '@roost/shutdown';
   *
   * export function reserveFlushTime(shutdown: CoordinatedShutdown, maxFlushMs: number): void {
   *   shutdown.reservePhaseTime(Phase.ServiceStop, maxFlushMs, {
   *     declaredBy: 'MetricsModule',
   *     advice: 'Metrics that are not flushed by then are lost. Raise the phase timeout, or lower maxFlushMs.',
   *   });
   * }
   * ```
   *
   * @throws UnknownPhaseError
   */
  reservePhaseTime(phase: PhaseName, ms: number | (() => number), options: PhaseTimeOptions): void {
    check.knownKeys(options, ['declaredBy', 'advice', 'growsIntoRestMs'], 'reservePhaseTime');
    this.#graph.get(phase, `reservePhaseTime() of ${options.declaredBy}`);
    this.#phaseTimes.reserve(phase, ms, options);
  }

  /**
   * Adds a count of in-flight work (accepted, not finished) to `inFlight`. The gauge is called often and must not
   * throw.
   *
   * @returns a function that removes the gauge
   */
  addInFlightGauge(gauge: () => number): () => void {
    this.#inFlightGauges.add(gauge);
    return () => void this.#inFlightGauges.delete(gauge);
  }

  /** In-flight work of all registered gauges: requests, messages, jobs. */
  get inFlight(): number {
    let count = 0;
    for (const gauge of this.#inFlightGauges) count += gauge();
    return count;
  }

  /** Whether the process exits after this shutdown. Meaningful only once the shutdown has started. */
  get endsProcess(): boolean {
    return this.#processHooks.endsProcess;
  }

  /**
   * Starts the shutdown. Every further call returns the same promise and adds its reason, if it has one, to the report.
   * The promise resolves when the phases have finished; `terminated` also waits for the host to close. A task must not
   * await either.
   */
  run(reason?: ShutdownReason, { fromPhase }: RunOptions = {}): Promise<ShutdownReport> {
    const first = this.#reason;
    this.#reason ??= toReason(reason);
    if (!this.#run) {
      this.#state = 'stopping';
      this.#processHooks.onBegin();
      this.#tasks.keepCancelled();
      const known = fromPhase === undefined || this.#graph.names.includes(fromPhase);
      this.#run = this.#createRun(this.#reason, known ? fromPhase : undefined);
      if (!known) {
        const { message } = new UnknownPhaseError(fromPhase, this.#graph.names, 'run({ fromPhase })');
        this.options.logger.error(`${message} Running all phases.`);
      }
      void this.#run.start();
    }
    if (first && reason !== undefined && reason !== first) this.#run.otherReasons.push(textOf(toReason(reason)));
    return this.#phasesDone.promise;
  }

  /** Returns the phases in running order, with their settings and pending tasks. */
  describe(): PhasePlan[] {
    return describePlan(this.#graph.plan, this.#tasks, (phase) => this.#run?.sequence.statusOf(phase));
  }

  /**
   * Returns problems with the configured times: phases that are too short, and a budget that does not fit. Empty if
   * there are none.
   */
  budgetWarnings(): string[] {
    this.#phaseTimes.update();
    const budget = budgetWarning(this.#graph.plan, this.#tasks, this.options);
    return [...this.#phaseTimes.warnings(), ...(budget === undefined ? [] : [budget])];
  }

  /** Starts the shutdown on these signals. Calling it again replaces the list. All listeners are removed at the end. */
  installProcessHooks(signals: readonly NodeJS.Signals[] = this.options.signals): void {
    assertSignals(signals);
    if (this.#state !== 'stopped') this.#processHooks.install(signals);
  }

  /** Removes this shutdown's listeners and no others. */
  removeProcessHooks(): void {
    this.#processHooks.remove();
  }

  /** Registers the host to close after the phases. May be called while they run. */
  attachHost(host: ShutdownHost): void {
    this.#host = host;
  }

  /** Called by the host when its boot is complete. Emits `host.booted`. */
  hostBooted(): void {
    this.#events.next({ type: 'host.booted' });
  }

  #createRun(reason: ShutdownReason, fromPhase: string | undefined): ShutdownRun {
    return new ShutdownRun({
      plan: this.#graph.plan,
      timeoutOf: (phase) => this.#graph.get(phase, 'run()').timeoutMs,
      tasks: this.#tasks,
      options: this.options,
      reason,
      fromPhase,
      host: () => this.#host,
      emit: (event) => this.#emit(event),
      onPhasesDone: (report) => this.#onPhasesDone(report),
      onTerminated: (report) => this.#onTerminated(report),
    });
  }

  #emit(event: ShutdownEvent): void {
    this.#events.next(event);
    // After the listeners, because the tasks they register reduce the time that is left for growing phases.
    if (event.type === 'shutdown.started') this.#phaseTimes.begin();
  }

  #onPhasesDone(report: ShutdownReport): void {
    const rejects = this.options.throwOnFailure && report.status !== 'completed';
    if (rejects) this.#phasesDone.reject(new ShutdownFailedError(report));
    else this.#phasesDone.resolve(report);
  }

  #onTerminated(report: ShutdownReport): void {
    this.#state = 'stopped';
    this.#events.next({ type: 'shutdown.terminated', report });
    this.#events.complete();
    this.#terminated.resolve(report);
    this.#processHooks.onTerminated(report);
  }

  #assertInTime(phase: string, subject: string): void {
    const why = this.#whyTooLate(phase);
    if (why) throw new LatePhaseError(phase, subject, why);
  }

  #whyTooLate(phase: string): string | undefined {
    return this.#state === 'stopped' ? 'the shutdown has finished' : this.#run?.sequence.tooLateFor(phase);
  }

  /** Fails a task that awaits its own shutdown. Otherwise the task and the shutdown would wait for each other. */
  #refuseDeadlock(): void {
    const task = currentTask();
    if (task && this.#run?.sequence.isRunning(task)) task.fail(new AwaitedInTaskError(task.task, task.phase));
  }
}
