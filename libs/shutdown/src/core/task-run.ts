import { AsyncLocalStorage } from 'node:async_hooks';
import { isThenable, messageOf, type RoostLogger } from '@roost/kernel';
import { type Clock, type Deadline, formatDuration, type Timer } from '@roost/time';
import { TaskTimeoutError, type TimeoutScope } from './errors/task-timeout.error.js';
import type { ShutdownReason } from './reasons.js';
import { errorReport, type TaskReport, type TaskStatus } from './report.js';
import type { ShutdownTaskContext } from './task.js';
import type { RegisteredTask } from './task-registry.js';

const runningTask = new AsyncLocalStorage<TaskRun>();

/** Returns the task whose code is running, if any. */
export const currentTask = (): TaskRun | undefined => runningTask.getStore();

/** One execution of a task. It settles exactly once, even if the task settles late or never. */
export class TaskRun implements ShutdownTaskContext {
  readonly phase: string;
  readonly task: string;
  report: TaskReport | undefined;

  readonly #startedAt: number;
  readonly #onSettled: (run: TaskRun) => void;
  #timer: Timer | undefined;
  #abort: AbortController | undefined;
  #abortReason: Error | undefined;
  #describe: (() => string) | undefined;

  constructor(
    readonly registered: RegisteredTask,
    /** Earliest of the task, phase and overall deadlines. */
    readonly deadline: Deadline,
    private readonly clock: Clock,
    private readonly logger: RoostLogger,
    onSettled: (run: TaskRun) => void,
  ) {
    this.phase = registered.phase;
    this.task = registered.name;
    this.#startedAt = clock.monotonic();
    this.#onSettled = onSettled;
  }

  /** Created on first use, because most tasks never read it. */
  get signal(): AbortSignal {
    if (!this.#abort) {
      this.#abort = new AbortController();
      if (this.#abortReason) this.#abort.abort(this.#abortReason);
    }
    return this.#abort.signal;
  }

  /** Bound, so that a task may destructure its context. Created on use, because most tasks report no progress. */
  get progress(): (describe: () => string) => void {
    return (describe) => {
      this.#describe = describe;
    };
  }

  start(reason: ShutdownReason): void {
    let pending: Promise<unknown> | undefined;
    try {
      pending = runningTask.run(this, () => {
        const result = this.registered.run(reason, this);
        return isThenable(result) ? Promise.resolve(result) : undefined;
      });
    } catch (error) {
      return this.fail(error);
    }
    if (!pending) return this.#settle('completed');
    const { timeoutMs } = this.registered;
    if (timeoutMs !== undefined && !this.report) {
      // Counted from the start of the task, which may have blocked the thread before it returned.
      this.#timer = this.clock.setTimer(Math.max(0, timeoutMs - this.runningMs), () => this.expire('task'));
    }
    pending.then(
      () => this.#settle('completed'),
      (error: unknown) => this.fail(error),
    );
  }

  fail(error: unknown): void {
    this.#settle('failed', error);
  }

  /** Settles the task as timed out and aborts its signal. Its later outcome does not count. */
  expire(scope: TimeoutScope): void {
    if (this.report) return;
    const error = new TaskTimeoutError(this.task, this.phase, scope, this.runningMs);
    this.#settle('timed-out', error);
    this.#abortReason = error;
    this.#abort?.abort(error);
  }

  get runningMs(): number {
    return this.clock.monotonic() - this.#startedAt;
  }

  /** Text for progress lines and for the list of stuck tasks. */
  toString(): string {
    let said = '';
    try {
      if (this.#describe) said = `: ${this.#describe()}`;
    } catch (error) {
      said = `: progress() threw: ${messageOf(error)}`;
    }
    return `${this.phase}/${this.task} (${formatDuration(this.runningMs)}${said})`;
  }

  #settle(status: TaskStatus, error?: unknown): void {
    if (this.report) {
      const outcome = status === 'failed' ? `failed with "${messageOf(error)}"` : status;
      this.logger.warn(
        `task ${this.phase}/${this.task} ${outcome} after ${formatDuration(this.runningMs)}, too late: reported as ${this.report.status}`,
      );
      return;
    }
    this.#timer?.cancel();
    this.report = { name: this.task, status, durationMs: this.runningMs };
    if (status !== 'completed') this.report.error = errorReport(error);
    this.#onSettled(this);
  }
}
