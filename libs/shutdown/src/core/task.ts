import type { Deadline } from '@roost/time';
import type { ShutdownReason } from './reasons.js';

/** Second argument of a task. @publicApi */
export interface ShutdownTaskContext {
  readonly phase: string;
  readonly task: string;
  /**
   * Aborts when the task, phase or overall deadline passes, whichever is first. From then on the shutdown no longer
   * waits for the task and drops its result.
   */
  readonly signal: AbortSignal;
  /** Time at which `signal` aborts. */
  readonly deadline: Deadline;
  /** Sets the text for the progress line: `() => '3 requests in flight'`. Called once a second while the task runs. */
  progress(describe: () => string): void;
}

/** A step of the shutdown. It completes when it returns or resolves, and fails when it throws or rejects. @publicApi */
export type ShutdownTaskFunction = (reason: ShutdownReason, context: ShutdownTaskContext) => unknown;

/** @publicApi */
export interface TaskOptions {
  /** Timeout of the task in ms, in addition to the phase timeout. @default none */
  timeoutMs?: number;
  /** Name of the registering code, for error messages and `describe()`. @default 'addTask()' */
  declaredBy?: string;
}

/** @publicApi */
export interface TaskHandle {
  readonly name: string;
  readonly phase: string;
  /** Removes the task. Returns false if it has already started or was already cancelled. */
  cancel(): boolean;
}

/**
 * An independent object that can be stopped, such as an actor.
 *
 * @publicApi
 */
export interface TerminationTarget<StopMessage = unknown> {
  tell(message: StopMessage): void;
  /** Requests the target to stop. Does nothing if it has already terminated. */
  stop(): void;
  /** Resolves when the target has terminated, or at once if it already has. */
  whenTerminated(): Promise<unknown>;
}
