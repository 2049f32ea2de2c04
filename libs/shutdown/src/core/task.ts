import type { Deadline } from '@roost/time';
import type { ShutdownReason } from './reasons.js';

/** What a task is told besides the reason. @publicApi */
export interface ShutdownTaskContext {
  readonly phase: string;
  readonly task: string;
  /**
   * Aborts when the task's, the phase's or the overall deadline passes, whichever is first. From then on nobody
   * waits for the task and its result is dropped.
   */
  readonly signal: AbortSignal;
  /** The moment `signal` aborts. */
  readonly deadline: Deadline;
  /** Text for the progress line, asked for once a second while the task is running: `() => '3 requests in flight'`. */
  progress(describe: () => string): void;
}

/** A step of the shutdown. Returning (or resolving) ends it; throwing (or rejecting) fails it. @publicApi */
export type ShutdownTaskFunction = (reason: ShutdownReason, context: ShutdownTaskContext) => unknown;

/** @publicApi */
export interface TaskOptions {
  /** A limit of the task's own, below that of its phase. @default none */
  timeoutMs?: number;
  /** Who registers it, for error messages and `describe()`. @default 'addTask()' */
  declaredBy?: string;
}

/** @publicApi */
export interface TaskHandle {
  readonly name: string;
  readonly phase: string;
  /** Takes the task out. False when it is too late: it has started, or was cancelled before. */
  cancel(): boolean;
}

/**
 * Something that lives on its own and can be told to end, such as an actor.
 *
 * @publicApi
 */
export interface TerminationTarget<StopMessage = unknown> {
  tell(message: StopMessage): void;
  /** Ask it to end. Harmless when it has ended already. */
  stop(): void;
  /** Resolves when it has ended, at once if it already has. */
  whenTerminated(): Promise<unknown>;
}
