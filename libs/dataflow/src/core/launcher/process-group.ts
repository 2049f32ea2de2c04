import type { ChildProcess } from 'node:child_process';
import type { RoostLogger } from '@roost/kernel';
import { type Clock, formatDuration, type Timer } from '@roost/time';
import { WORD } from './lifeline.js';

/** Exit code or signal of a process. @publicApi */
export interface ProcessExit {
  readonly process: string;
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

export interface ProcessGroupOptions {
  readonly logger: RoostLogger;
  readonly clock: Clock;
  /** Starts a process with an IPC channel. */
  fork(process: string): ChildProcess;
  /** Whether a process that crashes during the run is started again. */
  restarts(process: string): boolean;
  /** Called when a process shuts down in order before the end of the run is known here. */
  leaving(process: string): void;
  /** Called when a process has exited without notice during the run and is not started again. */
  lost(exit: ProcessExit, how: string): void;
}

/** Delay in ms before a restart, so that a process that cannot start does not keep the machine busy. */
const RESTART_DELAY_MS = 200;

/** Starts the processes of a run and waits for them to exit. */
export class ProcessGroup {
  readonly #children = new Map<string, ChildProcess>();
  readonly #exits = new Map<string, ProcessExit>();
  readonly #leaving = new Set<ChildProcess>();
  #waiting: (() => void) | undefined;
  #ending: Promise<readonly ProcessExit[]> | undefined;
  #kill: { readonly at: number; readonly timer: Timer } | undefined;

  constructor(private readonly options: ProcessGroupOptions) {}

  /** Starts a process. Does nothing after the end of the run. */
  start(process: string): void {
    if (this.#ending) return;
    const child = this.options.fork(process);
    this.#children.set(process, child);
    child.on('message', (word) => {
      if (word === WORD.leaving) this.#left(process, child);
    });
    child.once('error', (error) => this.#ended(child, { process, code: 1, signal: null }, error.message));
    // Not `exit`: the last messages of the process may arrive after it.
    child.once('close', (code, signal) => this.#ended(child, { process, code, signal }));
    child.channel?.unref();
  }

  /** Names of the processes that have not exited yet. */
  get left(): readonly string[] {
    return [...this.#children.keys()];
  }

  /**
   * Waits for all processes to exit after the end of the run. Processes that have not joined are notified, and
   * processes that do not exit in time are killed. Further calls return the same promise, and can only make the kill
   * earlier.
   *
   * @returns the exit of each process, or of its last instance if it was restarted
   */
  end(killAfterMs: number): Promise<readonly ProcessExit[]> {
    if (this.#children.size > 0) this.#killAfter(killAfterMs);
    return (this.#ending ??= this.#end());
  }

  async #end(): Promise<readonly ProcessExit[]> {
    for (const child of this.#children.values()) {
      // The send fails if the process is just exiting.
      if (!this.#leaving.has(child) && child.connected) child.send(WORD.over, () => undefined);
    }
    while (this.#children.size > 0) await new Promise<void>((resolve) => (this.#waiting = resolve));
    this.#kill?.timer.cancel();
    return [...this.#exits.values()];
  }

  #killAfter(ms: number): void {
    const { clock, logger } = this.options;
    const at = clock.monotonic() + ms;
    if (this.#kill && this.#kill.at <= at) return;
    this.#kill?.timer.cancel();
    const timer = clock.setTimer(ms, () => {
      for (const [process, child] of this.#children) {
        logger.error(
          `process "${process}" (pid ${child.pid}) did not exit within ${formatDuration(ms)} and was killed`,
        );
        child.kill('SIGKILL');
      }
    });
    this.#kill = { at, timer };
  }

  #left(process: string, child: ChildProcess): void {
    this.#leaving.add(child);
    if (!this.#ending) this.options.leaving(process);
  }

  #ended(child: ChildProcess, exit: ProcessExit, how = describe(exit)): void {
    const { process } = exit;
    if (this.#children.get(process) !== child) return;
    this.#children.delete(process);
    this.#exits.set(process, exit);
    if (exit.code !== 0) this.options.logger.warn(`process "${process}" exited (${how})`);
    if (!this.#ending && !this.#leaving.has(child)) this.#replace(exit, how);
    this.#leaving.delete(child);
    this.#waiting?.();
  }

  #replace(exit: ProcessExit, how: string): void {
    const { options } = this;
    if (!options.restarts(exit.process)) return options.lost(exit, how);
    options.clock.setTimer(RESTART_DELAY_MS, () => this.start(exit.process));
  }
}

const describe = ({ code, signal }: ProcessExit): string => (signal ? `signal ${signal}` : `code ${code}`);
