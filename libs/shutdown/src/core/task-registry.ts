import { DuplicateTaskError } from './errors/duplicate-task.error.js';
import { InvalidNameError } from './errors/invalid-name.error.js';
import { InvalidTaskError } from './errors/invalid-task.error.js';
import { check } from './option-checks.js';
import type { ShutdownTaskFunction, TaskHandle, TaskOptions } from './task.js';

/** A registered task with its options. */
export interface RegisteredTask {
  readonly name: string;
  readonly phase: string;
  readonly run: ShutdownTaskFunction;
  readonly timeoutMs: number | undefined;
  readonly declaredBy: string;
}

/** The tasks of each phase, in registration order. */
export class TaskRegistry {
  readonly #phases = new Map<string, Map<string, RegisteredTask>>();
  readonly #cancelled = new Map<string, string[]>();
  #keepCancelled = false;

  add(phase: string, name: string, run: ShutdownTaskFunction, options: TaskOptions = {}): TaskHandle {
    if (typeof name !== 'string' || name.trim() === '')
      throw new InvalidNameError('task', name, options?.declaredBy ?? 'addTask()');
    if (typeof run !== 'function')
      throw new InvalidTaskError(name, phase, 'it is not a function (reason, ctx) => void | Promise<void>');
    check.knownKeys(options, ['timeoutMs', 'declaredBy'], `task "${name}"`);
    const { timeoutMs, declaredBy = 'addTask()' } = options;
    if (timeoutMs !== undefined) check.timeout(timeoutMs, `timeoutMs of task "${name}" (${declaredBy})`);
    const tasks = this.#phases.get(phase) ?? new Map<string, RegisteredTask>();
    this.#phases.set(phase, tasks);
    const taken = tasks.get(name);
    if (taken) throw new DuplicateTaskError(name, phase, declaredBy, taken.declaredBy);
    const task: RegisteredTask = { name, phase, run, timeoutMs, declaredBy };
    tasks.set(name, task);
    return { name, phase, cancel: () => this.#cancel(task) };
  }

  of(phase: string): readonly RegisteredTask[] {
    return [...(this.#phases.get(phase)?.values() ?? [])];
  }

  has(phase: string): boolean {
    return (this.#phases.get(phase)?.size ?? 0) > 0;
  }

  /** Called when the shutdown starts. From then on, cancelled tasks are kept for the report. */
  keepCancelled(): void {
    this.#keepCancelled = true;
  }

  cancelledIn(phase: string): readonly string[] {
    return this.#cancelled.get(phase) ?? [];
  }

  /** Removes and returns the tasks of a phase. They can no longer be cancelled. */
  take(phase: string): readonly RegisteredTask[] {
    const tasks = this.of(phase);
    this.#phases.delete(phase);
    return tasks;
  }

  #cancel(task: RegisteredTask): boolean {
    const tasks = this.#phases.get(task.phase);
    if (tasks?.get(task.name) !== task) return false;
    tasks.delete(task.name);
    if (this.#keepCancelled) {
      const names = this.#cancelled.get(task.phase);
      if (names) names.push(task.name);
      else this.#cancelled.set(task.phase, [task.name]);
    }
    return true;
  }
}
