import { constants } from 'node:os';
import { isMainThread } from 'node:worker_threads';
import { formatDuration } from '@roost/time';
import { ProcessTerminateReason } from '../reasons.js';
import type { ShutdownReport } from '../report.js';
import { killChildProcesses, trackChildProcesses } from './child-processes.js';
import { flush } from './flush.js';
import type { ProcessLike } from './process-like.js';

const HUB = Symbol.for('@roost/shutdown/process-hub');

/**
 * A terminal sends Ctrl+C to all processes of a command, and a runner among them, such as npm, passes it on to its child
 * once more. For so long the same signal is the same key stroke; work must not be cut because of it.
 */
const ECHO_MS = 500;

/** One coordinated shutdown as the process sees it. */
export interface ProcessParticipant {
  readonly signals: readonly string[];
  readonly uncaught: boolean;
  /** Whether the process is to be ended once the shutdown that a signal began is over. */
  readonly exits: boolean;
  readonly terminated: Promise<ShutdownReport>;
  /** As far as it is known by now. */
  readonly exitCode: number;
  onSignal(signal: string): void;
  onUncaught(error: unknown): void;
  exitsOnSecond(signal: string): boolean;
  /** The process ends now, whatever is still running. */
  onForced(why: string): void;
  say(message: string): void;
}

/** Signals that come before anybody has joined. */
interface EarlyCapture {
  readonly signals: readonly string[];
  readonly bootTimeoutMs: number;
  received?: { signal: string; at: number };
  timer?: NodeJS.Timeout;
}

/**
 * The one place in a process that listens to signals and ends the process. It is kept on the process object, so that
 * several applications, or several installed copies of this package, still share one.
 */
export class ProcessHub {
  static of(proc: ProcessLike = process): ProcessHub {
    const holder = proc as ProcessLike & { [HUB]?: ProcessHub };
    if (!holder[HUB]) Object.defineProperty(holder, HUB, { value: new ProcessHub(proc), configurable: true });
    return holder[HUB]!;
  }

  readonly #participants = new Set<ProcessParticipant>();
  /** Those whose end the process waits for before it exits. */
  readonly #ending = new Set<ProcessParticipant>();
  readonly #listeners = new Map<string, (value: unknown) => void>();
  #early: EarlyCapture | undefined;
  #begun: { by: string; at: number } | undefined;
  /** Signals that are known to be raised once more, and mean nothing then. */
  readonly #raisedAgain = new Set<string>();
  /** Signals that mean nothing to this process. */
  readonly #ignored = new Set<string>();
  /** What stands behind a signal that was raised by `terminate`. */
  #explained: ProcessTerminateReason | undefined;
  #exitCode = 0;
  #exits = false;
  #exiting = false;

  private constructor(private readonly proc: ProcessLike) {}

  /**
   * @param instead leaves at the same moment. In between nobody would listen, and a signal that has come already but is
   * not yet delivered would be lost.
   */
  join(participant: ProcessParticipant, instead?: ProcessParticipant): void {
    this.#participants.add(participant);
    if (instead) this.#participants.delete(instead);
    trackChildProcesses();
    const remembered = this.#endEarlyCapture();
    this.#listen();
    if (remembered) {
      const { signal, at } = remembered;
      // The participant is told at once, so that it never starts listening.
      if (participant.signals.includes(signal)) this.#begin(signal, [participant], (one) => one.onSignal(signal), at);
      this.passOn(signal);
    } else if (this.#begun && participant.signals.includes(this.#begun.by) && !(instead && this.#ending.has(instead))) {
      this.#end([participant], (one) => one.onSignal(this.#begun!.by));
    }
  }

  leave(participant: ProcessParticipant): void {
    this.#participants.delete(participant);
    this.#listen();
  }

  /** The signal that began the shutdown will come once more, from somebody who passes it on. */
  ignoreNext(signal: string): void {
    if (this.#begun) this.#raisedAgain.add(signal);
  }

  /** Raises a signal once more for whoever else listens by now, or to take its default effect. */
  passOn(signal: string): void {
    this.ignoreNext(signal);
    this.#raise(signal);
  }

  /** From now on these signals neither begin a shutdown nor end the process. */
  ignore(signals: readonly string[]): void {
    for (const signal of signals) this.#ignored.add(signal);
    this.#listen();
  }

  /** Raises the signal of the reason; those whom it tells to shut down will find the reason here. They may know already. */
  terminate(reason: ProcessTerminateReason): void {
    if (this.#begun) return;
    this.#explained ??= reason;
    this.#raise(reason.signal);
  }

  reasonFor(signal: string): ProcessTerminateReason {
    return this.#explained?.signal === signal ? this.#explained : new ProcessTerminateReason(signal);
  }

  get hasParticipants(): boolean {
    return this.#participants.size > 0 || this.#ending.size > 0;
  }

  /** Whether signals are being remembered for who joins. */
  get capturesEarly(): boolean {
    return this.#early !== undefined;
  }

  /** Remembers the first signal until somebody joins, who then gets it. */
  captureEarly(signals: readonly string[], bootTimeoutMs: number): void {
    if (this.#participants.size > 0 || this.#early) return;
    this.#early = { signals, bootTimeoutMs };
    trackChildProcesses();
    this.#listen();
  }

  /** Ends the process once its output is written. Later calls change nothing, and neither do signals. */
  async exit(code: number): Promise<void> {
    if (this.#exiting) return;
    this.#exiting = true;
    await flush([this.proc.stdout, this.proc.stderr]);
    this.proc.exit(code);
  }

  /** Signals are for the whole process, and only its main thread gets them: in other threads they are events like others. */
  #raise(signal: string): void {
    if (isMainThread) this.proc.kill(this.proc.pid, signal);
    else this.proc.emit(signal, signal);
  }

  #onSignal(signal: string): void {
    if (this.#ignored.has(signal)) return;
    if (this.#raisedAgain.delete(signal)) return;
    const takers = [...this.#participants].filter((one) => one.signals.includes(signal));
    if (this.#begun) this.#onSecondSignal(signal);
    else if (takers.length > 0) this.#begin(signal, takers, (one) => one.onSignal(signal));
    else if (this.#early) this.#onEarlySignal(this.#early, signal);
  }

  #onUncaught(error: unknown): void {
    const takers = [...this.#participants].filter((one) => one.uncaught);
    this.#exitCode ||= 1;
    if (this.#begun?.by === 'uncaughtException') return this.#forceExit(1, takers, 'second uncaught error');
    this.#begin('uncaughtException', takers, (one) => one.onUncaught(error));
  }

  #begin(
    by: string,
    takers: readonly ProcessParticipant[],
    tell: (one: ProcessParticipant) => void,
    at = performance.now(),
  ): void {
    if (!this.#begun) {
      this.proc.on('exit', this.#onExit);
      for (const stream of [this.proc.stdout, this.proc.stderr]) stream.on?.('error', ignore);
    }
    this.#begun = { by, at };
    this.#end(takers, tell);
  }

  #end(takers: readonly ProcessParticipant[], tell: (one: ProcessParticipant) => void): void {
    for (const one of takers) this.#ending.add(one);
    for (const one of takers) {
      tell(one);
      void one.terminated.then((report) => {
        this.#exitCode ||= report.exitCode;
        this.#exits ||= one.exits;
        this.#ended(one);
      });
    }
  }

  /** When the last one is done the process exits, or is left to its owner as if no signal had come. */
  #ended(participant: ProcessParticipant): void {
    if (!this.#ending.delete(participant) || this.#ending.size > 0) return;
    if (this.#exits) return void this.exit(this.#exitCode);
    this.proc.off('exit', this.#onExit);
    for (const stream of [this.proc.stdout, this.proc.stderr]) stream.off?.('error', ignore);
    this.#begun = undefined;
    this.#explained = undefined;
    this.#raisedAgain.clear();
    this.#exitCode = 0;
    this.#listen();
  }

  #onSecondSignal(signal: string): void {
    if (this.#exiting) return;
    const participants = [...this.#participants];
    if (participants.some((one) => one.exitsOnSecond(signal))) {
      if (isEcho(signal, this.#begun!.by, this.#begun!.at)) return;
      return this.#forceExit(exitCodeOf(signal), participants, `second signal ${signal}`);
    }
    const since = formatDuration(performance.now() - this.#begun!.at);
    for (const one of participants) one.say(`${signal} again: ignored, the shutdown has been running for ${since}`);
  }

  #onEarlySignal(early: EarlyCapture, signal: string): void {
    if (early.received) {
      const isNews = !isEcho(signal, early.received.signal, early.received.at);
      if (signal === 'SIGINT' && isNews) this.#forceExit(exitCodeOf(signal), [], '');
      return;
    }
    early.received = { signal, at: performance.now() };
    const limit = formatDuration(early.bootTimeoutMs);
    console.error(
      `[shutdown] ${signal} during boot: the application will stop as soon as it has started, or exit after ${limit}`,
    );
    early.timer = setTimeout(() => {
      console.error(`[shutdown] the application did not start within ${limit} after ${signal}: exiting`);
      void this.exit(exitCodeOf(signal));
    }, early.bootTimeoutMs);
  }

  #endEarlyCapture(): EarlyCapture['received'] {
    clearTimeout(this.#early?.timer);
    const received = this.#early?.received;
    this.#early = undefined;
    return received;
  }

  #forceExit(code: number, participants: readonly ProcessParticipant[], why: string): void {
    this.#exiting = true;
    for (const one of participants) one.onForced(`${why}: exiting now with code ${code}`);
    killChildProcesses();
    this.proc.exit(code);
  }

  /** Somebody else may call `process.exit(0)` when we are done: the failure must still show. */
  readonly #onExit = (): void => {
    for (const one of [...this.#ending, ...this.#participants]) this.#exitCode ||= one.exitCode;
    if (this.#exitCode !== 0 && !this.proc.exitCode) this.proc.exitCode = this.#exitCode;
  };

  /** Listens to exactly what is asked for; until the exit once a shutdown has begun, or the exit itself. */
  #listen(): void {
    const participants = [...this.#participants, ...this.#ending];
    const wanted = new Set(
      participants.flatMap((one) => [...one.signals, ...(one.uncaught ? ['uncaughtException'] : [])]),
    );
    for (const signal of [...(this.#early?.signals ?? []), ...this.#ignored]) wanted.add(signal);
    for (const event of wanted) {
      if (this.#listeners.has(event)) continue;
      const listener =
        event === 'uncaughtException' ? (error: unknown) => this.#onUncaught(error) : () => this.#onSignal(event);
      this.#listeners.set(event, listener);
      this.proc.on(event, listener);
    }
    // Without a listener a signal would kill the process, and its exit code would tell of a failure.
    if (this.#begun || this.#exiting) return;
    for (const [event, listener] of this.#listeners) {
      if (wanted.has(event)) continue;
      this.#listeners.delete(event);
      this.proc.off(event, listener);
    }
  }
}

/**
 * On Ctrl+C the reader of our output often dies first (`node main.js | tee log`). Nobody to tell is no reason to die in
 * the middle of a shutdown.
 */
const ignore = (): void => undefined;

const isEcho = (signal: string, first: string, at: number): boolean =>
  signal === first && performance.now() - at < ECHO_MS;

const exitCodeOf = (signal: string): number => 128 + (constants.signals[signal as NodeJS.Signals] ?? 0);
