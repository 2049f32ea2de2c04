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
  /** Skip the phases before this one. An unknown name is logged and everything runs. */
  fromPhase?: PhaseName;
}

/** @publicApi */
export type ShutdownState = 'running' | 'stopping' | 'stopped';

/**
 * Runs registered tasks in ordered phases, once, whatever triggers it and however often.
 *
 * All tasks of a phase start together; the next phase starts when they have settled or the phase's time is up.
 * `run` neither throws nor rejects (but see `throwOnFailure`). What a task does after its time is up is ignored.
 *
 * @publicApi
 */
export class CoordinatedShutdown {
  readonly options: ResolvedShutdownOptions;
  /** Emits synchronously, completes when the shutdown has terminated; late subscribers get no replay. */
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
    // Under throwOnFailure a run that a signal began has no caller to hear of the rejection.
    this.#phasesDone.promise.catch(() => undefined);
  }

  /**
   * Why it is shutting down: the first trigger. A signal during boot sets it at once, although `state` stays `running`
   * until the boot has settled.
   */
  get reason(): ShutdownReason | undefined {
    return this.#reason;
  }

  /** `stopping` from the call of `run()`, `stopped` when the phases and the host's own hooks are over. */
  get state(): ShutdownState {
    return this.#state;
  }

  /** Whether the host has come up. Under Nest: `onApplicationBootstrap` of every provider has ended. */
  get booted(): boolean {
    return this.#host?.booted ?? true;
  }

  /** The end of everything, the host's hooks included. Never rejects. */
  get terminated(): Promise<ShutdownReport> {
    return this.#terminated.promise;
  }

  /** The longest the registered tasks can take; phases without tasks do not count. */
  get totalTimeoutMs(): number {
    return totalBudgetMs(this.#graph.plan, this.#tasks, this.options.concurrency);
  }

  /**
   * Registers a task. During the shutdown, phases that have not begun still take tasks.
   *
   * @throws UnknownPhaseError, DuplicateTaskError, InvalidNameError, InvalidTaskError, InvalidTimeoutError
   * @throws LatePhaseError when the phase has begun
   */
  addTask(phase: PhaseName, name: string, task: ShutdownTaskFunction, options: TaskOptions = {}): TaskHandle {
    const { declaredBy = 'addTask()' } = options;
    this.#graph.get(phase, `${declaredBy} of task "${name}"`);
    this.#assertInTime(phase, `Task "${name}" (${declaredBy})`);
    return this.#tasks.add(phase, name, task, options);
  }

  /** Registers a task that ends the target, by `stopMessage` if given, and waits until it has ended. */
  addActorTerminationTask<M>(
    phase: PhaseName,
    name: string,
    target: TerminationTarget<M>,
    stopMessage?: M,
  ): TaskHandle {
    const task = terminationTask(phase, name, target, stopMessage);
    return this.addTask(phase, name, task, { declaredBy: 'addActorTerminationTask()' });
  }

  /** Declares a phase. The phases it names must exist. Refused once the shutdown has begun. */
  addPhase(name: string, options: PhaseOptions = {}): void {
    if (this.#run) throw new PhaseGraphLockedError(name);
    this.#graph.add(name, options);
  }

  /** @throws UnknownPhaseError, InvalidTimeoutError, and LatePhaseError when the phase has begun */
  setPhaseTimeout(phase: PhaseName, timeoutMs: number): void {
    const where = `setPhaseTimeout("${phase}")`;
    this.#graph.get(phase, where);
    this.#assertInTime(phase, where);
    this.#graph.setTimeout(phase, timeoutMs, where);
  }

  /**
   * Makes sure that a phase lasts long enough for a task that may need `ms`, plus `FORCE_MARGIN_MS` to end by force what is
   * left then. A timeout that the application has set for the phase wins, and `budgetWarnings()` says so when it is too
   * short. A function is asked again by `budgetWarnings()`, which Nest's boot calls, and when the shutdown begins. Does nothing once the phase has begun.
   *
   * @throws UnknownPhaseError
   */
  reservePhaseTime(phase: PhaseName, ms: number | (() => number), options: PhaseTimeOptions): void {
    check.knownKeys(options, ['declaredBy', 'advice', 'growsIntoRestMs'], 'reservePhaseTime');
    this.#graph.get(phase, `reservePhaseTime() of ${options.declaredBy}`);
    this.#phaseTimes.reserve(phase, ms, options);
  }

  /**
   * Adds a count of work in flight, accepted and not finished, to `inFlight`. The gauge is asked often and must not throw.
   *
   * @returns a function that removes the gauge
   */
  addInFlightGauge(gauge: () => number): () => void {
    this.#inFlightGauges.add(gauge);
    return () => void this.#inFlightGauges.delete(gauge);
  }

  /** The work in flight in all parts of the application that count theirs: requests, messages, jobs. */
  get inFlight(): number {
    let count = 0;
    for (const gauge of this.#inFlightGauges) count += gauge();
    return count;
  }

  /** Whether the process exits when this shutdown, which has begun, is over. */
  get endsProcess(): boolean {
    return this.#processHooks.endsProcess;
  }

  /**
   * Begins the shutdown. Every further call returns the same promise and adds its reason, if it has one, to the report.
   * It resolves when the phases are over; `terminated` when the host is closed too. A task must not await either.
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

  /** Phases in running order, with their settings and pending tasks. */
  describe(): PhasePlan[] {
    return describePlan(this.#graph.plan, this.#tasks, (phase) => this.#run?.sequence.statusOf(phase));
  }

  /** Problems of the configured times: phases that are too short, and a budget that does not fit. Empty when all is well. */
  budgetWarnings(): string[] {
    this.#phaseTimes.update();
    const budget = budgetWarning(this.#graph.plan, this.#tasks, this.options);
    return [...this.#phaseTimes.warnings(), ...(budget === undefined ? [] : [budget])];
  }

  /** Begins the shutdown on these signals. Calling it again replaces the list. All listeners go at the end. */
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

  /** For the host: everything that belongs to its boot is done. Emits `host.booted`. */
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
    // After the listeners, which may register tasks: those take of the time that is left.
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

  /** A task that awaits its own shutdown fails at once; otherwise each would wait for the other. */
  #refuseDeadlock(): void {
    const task = currentTask();
    if (task && this.#run?.sequence.isRunning(task)) task.fail(new AwaitedInTaskError(task.task, task.phase));
  }
}
