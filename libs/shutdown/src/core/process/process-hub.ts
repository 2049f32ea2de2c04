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
 * A terminal sends Ctrl+C to all processes of a command, and a runner such as npm forwards it to its child once more.
 * Within this time the same signal counts as the same keystroke, so that it does not cut off work.
 */
const ECHO_MS = 500;

/** One coordinated shutdown as seen by the process. */
export interface ProcessParticipant {
  readonly signals: readonly string[];
  readonly uncaught: boolean;
  /** Whether the process exits after a shutdown that a signal started. */
  readonly exits: boolean;
  readonly terminated: Promise<ShutdownReport>;
  /** Exit code as far as it is known. */
  readonly exitCode: number;
  onSignal(signal: string): void;
  onUncaught(error: unknown): void;
  exitsOnSecond(signal: string): boolean;
  /** Called right before the process exits without waiting for running work. */
  onForced(why: string): void;
  say(message: string): void;
}

/** Signals received before the first participant joins. */
interface EarlyCapture {
  readonly signals: readonly string[];
  readonly bootTimeoutMs: number;
  received?: { signal: string; at: number };
  timer?: NodeJS.Timeout;
}

/**
 * The only place in a process that listens for signals and ends the process. It is stored on the process object, so
 * that several applications, or several installed copies of this package, share one hub.
 */
export class ProcessHub {
  static of(proc: ProcessLike = process): ProcessHub {
    const holder = proc as ProcessLike & { [HUB]?: ProcessHub };
    if (!holder[HUB]) Object.defineProperty(holder, HUB, { value: new ProcessHub(proc), configurable: true });
    return holder[HUB]!;
  }

  readonly #participants = new Set<ProcessParticipant>();
  /** Participants that must terminate before the process exits. */
  readonly #ending = new Set<ProcessParticipant>();
  readonly #listeners = new Map<string, (value: unknown) => void>();
  #early: EarlyCapture | undefined;
  #begun: { by: string; at: number } | undefined;
  /** Signals that will be raised once more and must be ignored then. */
  readonly #raisedAgain = new Set<string>();
  /** Signals that this process ignores. */
  readonly #ignored = new Set<string>();
  /** Reason for the signal raised by `terminate`. */
  #explained: ProcessTerminateReason | undefined;
  #exitCode = 0;
  #exits = false;
  #exiting = false;

  private constructor(private readonly proc: ProcessLike) {}

  /**
   * @param instead participant to remove in the same step. With a gap between the two, no listener would be installed,
   * and a signal that is pending delivery would be lost.
   */
  join(participant: ProcessParticipant, instead?: ProcessParticipant): void {
    this.#participants.add(participant);
    if (instead) this.#participants.delete(instead);
    trackChildProcesses();
    const remembered = this.#endEarlyCapture();
    this.#listen();
    if (remembered) {
      const { signal, at } = remembered;
      // Notify the participant at once, so that it never starts listening.
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

  /** Ignores the next occurrence of the signal that started the shutdown, because another listener will forward it. */
  ignoreNext(signal: string): void {
    if (this.#begun) this.#raisedAgain.add(signal);
  }

  /** Raises a signal once more, for listeners added since then or for its default effect. */
  passOn(signal: string): void {
    this.ignoreNext(signal);
    this.#raise(signal);
  }

  /** Makes these signals neither start a shutdown nor end the process from now on. */
  ignore(signals: readonly string[]): void {
    for (const signal of signals) this.#ignored.add(signal);
    this.#listen();
  }

  /**
   * Raises the signal of the reason. Participants that it shuts down look up the reason with `reasonFor`. Does nothing
   * if a shutdown has already started.
   */
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

  /** Whether signals are being remembered for the first participant. */
  get capturesEarly(): boolean {
    return this.#early !== undefined;
  }

  /** Remembers the first signal and delivers it to the first participant that joins. */
  captureEarly(signals: readonly string[], bootTimeoutMs: number): void {
    if (this.#participants.size > 0 || this.#early) return;
    this.#early = { signals, bootTimeoutMs };
    trackChildProcesses();
    this.#listen();
  }

  /** Exits once the output is flushed. Later calls and signals have no effect. */
  async exit(code: number): Promise<void> {
    if (this.#exiting) return;
    this.#exiting = true;
    await flush([this.proc.stdout, this.proc.stderr]);
    this.proc.exit(code);
  }

  /**
   * Signals are process-wide, and only the main thread receives them. In other threads they are raised as plain events.
   */
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

  /** After the last participant, exits the process, or resets the hub as if no signal had been received. */
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

  /** Other code may call `process.exit(0)` after the shutdown. The exit code must still show the failure. */
  readonly #onExit = (): void => {
    for (const one of [...this.#ending, ...this.#participants]) this.#exitCode ||= one.exitCode;
    if (this.#exitCode !== 0 && !this.proc.exitCode) this.proc.exitCode = this.#exitCode;
  };

  /**
   * Installs exactly the listeners that are needed. Once a shutdown or the exit has started, listeners are only added.
   */
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
    // Without a listener, a signal would kill the process, and its exit code would look like a failure.
    if (this.#begun || this.#exiting) return;
    for (const [event, listener] of this.#listeners) {
      if (wanted.has(event)) continue;
      this.#listeners.delete(event);
      this.proc.off(event, listener);
    }
  }
}

/**
 * On Ctrl+C the reader of the output often dies first (`node main.js | tee log`). A broken pipe must not interrupt the
 * shutdown.
 */
const ignore = (): void => undefined;

const isEcho = (signal: string, first: string, at: number): boolean =>
  signal === first && performance.now() - at < ECHO_MS;

const exitCodeOf = (signal: string): number => 128 + (constants.signals[signal as NodeJS.Signals] ?? 0);
