import { stackOf } from '@roost/kernel';
import { formatDuration, type Timer } from '@roost/time';
import type { ShutdownHost } from '../host.js';
import type { ResolvedShutdownOptions } from '../options.js';
import { type ShutdownReason, UncaughtErrorReason } from '../reasons.js';
import type { ShutdownReport } from '../report.js';
import type { ShutdownRun } from '../shutdown-run.js';
import { ProcessHub, type ProcessParticipant } from './process-hub.js';
import type { ProcessLike } from './process-like.js';

/** One shutdown as seen by its process hooks. */
export interface ProcessHooksContext {
  readonly options: ResolvedShutdownOptions;
  /**
   * Resolves when everything has finished. A plain promise, so that a task that subscribes to it does not count as
   * awaiting.
   */
  readonly terminated: Promise<ShutdownReport>;
  readonly reason: () => ShutdownReason | undefined;
  readonly host: () => ShutdownHost | undefined;
  /** The run, once it has started. */
  readonly current: () => ShutdownRun | undefined;
  /** Sets the reason of a shutdown that starts once the boot has settled. */
  readonly announce: (reason: ShutdownReason) => void;
  readonly run: (reason: ShutdownReason) => unknown;
}

/** Connects one shutdown to its process. Signals and uncaught errors start it, and its end may end the process. */
export class ProcessHooks {
  readonly #hub: ProcessHub;
  #participant: ProcessParticipant | undefined;
  #bootLimit: Timer | undefined;
  /**
   * Whether a signal or an uncaught error started the shutdown. If so, the hub ends the process after all participants.
   */
  #isTrigger = false;

  constructor(
    private readonly context: ProcessHooksContext,
    proc: ProcessLike,
  ) {
    this.#hub = ProcessHub.of(proc);
  }

  /** Joins the hub and replaces the participant that joined before. */
  install(signals: readonly string[]): void {
    const previous = this.#participant;
    this.#participant = this.#createParticipant(signals);
    this.#hub.join(this.#participant, previous);
  }

  remove(): void {
    if (this.#participant) this.#hub.leave(this.#participant);
    this.#participant = undefined;
  }

  /** Whether the process exits after the shutdown. Meaningful only once the shutdown has started. */
  get endsProcess(): boolean {
    const { process } = this.context.options.exit;
    return process === true || (process === 'on-signal' && (this.#isTrigger || !!this.context.reason()?.endsProcess));
  }

  /** Called when the run starts. Stops waiting for a boot that is still in progress. */
  onBegin(): void {
    this.#bootLimit?.cancel();
  }

  onTerminated({ exitCode }: ShutdownReport): void {
    const { process } = this.context.options.exit;
    if (this.endsProcess && (process === true || !this.#isTrigger)) void this.#hub.exit(exitCode);
    this.remove();
  }

  /** Handles a trigger from outside the program. A boot in progress may settle first. */
  #request(reason: ShutdownReason): void {
    const { options, run, announce } = this.context;
    const first = this.context.reason();
    this.#isTrigger ||= first === undefined;
    const booting = first ? undefined : this.context.host()?.whenBooted();
    if (!booting) {
      // With a reason but no run, the shutdown is already waiting for the boot.
      if (this.context.current() || !first) run(reason);
      return;
    }
    announce(reason);
    const { clock, bootTimeoutMs, logger } = options;
    const limit = formatDuration(bootTimeoutMs);
    logger.log(`${String(reason)} during boot: waiting for the boot to finish, at most ${limit}`);
    this.#bootLimit = clock.setTimer(bootTimeoutMs, () => {
      logger.error(`the boot did not finish within ${limit}: shutting down now`);
      run(reason);
    });
    const begin = () => void run(reason);
    booting.then(begin, begin);
  }

  #createParticipant(signals: readonly string[]): ProcessParticipant {
    const { options, terminated, current } = this.context;
    const { uncaught, exit, secondSignal, logger } = options;
    return {
      signals,
      uncaught,
      exits: exit.process !== false,
      terminated,
      get exitCode() {
        return current()?.exitCode ?? 0;
      },
      onSignal: (signal) => this.#request(this.#hub.reasonFor(signal)),
      onUncaught: (error) => {
        logger.error(`uncaught error: ${stackOf(error)}`);
        this.#request(new UncaughtErrorReason(error));
      },
      exitsOnSecond: (signal) => secondSignal[signal as NodeJS.Signals] === 'exit',
      onForced: (why) => {
        const run = current();
        if (run) run.nameTheStuck(why);
        else logger.error(why);
      },
      say: (message) => logger.warn(message),
    };
  }
}
