import { messageOf } from '@roost/kernel';

/** Outcome of a task. `cancelled`: it never started (cancelled, or its phase was skipped or disabled). @publicApi */
export type TaskStatus = 'completed' | 'failed' | 'timed-out' | 'cancelled';

/** @publicApi */
export type PhaseStatus = 'completed' | 'failed' | 'timed-out' | 'skipped' | 'disabled';

/**
 * Outcome of the whole shutdown. `failed`: everything ran, but something failed or timed out. `aborted`: a phase with
 * `recover: false` failed, so later phases were skipped. `forced`: the overall deadline passed.
 *
 * @publicApi
 */
export type ShutdownStatus = 'completed' | 'failed' | 'aborted' | 'forced';

/** @publicApi */
export interface TaskReport {
  name: string;
  status: TaskStatus;
  durationMs: number;
  error?: { code?: string; message: string };
}

/** @publicApi */
export interface PhaseReport {
  name: string;
  status: PhaseStatus;
  durationMs: number;
  tasks: TaskReport[];
}

/**
 * Report of a shutdown as plain JSON. Phases are in running order.
 *
 * @publicApi
 */
export interface ShutdownReport {
  reason: string;
  /** Further triggers during the shutdown, in order. */
  otherReasons: string[];
  status: ShutdownStatus;
  exitCode: number;
  durationMs: number;
  phases: PhaseReport[];
  /** The host's own hooks (for Nest: `OrdersService.onModuleDestroy`). Only in the report of `terminated`. */
  hooks?: TaskReport[];
}

export const isBad = (status: TaskStatus | PhaseStatus): boolean => status === 'failed' || status === 'timed-out';

/** Converts an error to its form in a report. */
export const errorReport = (error: unknown): { code?: string; message: string } => {
  const message = messageOf(error);
  const code = error instanceof Error ? codeOf(error) : undefined;
  return typeof code === 'string' ? { code, message } : { message };
};

const codeOf = (error: Error): unknown => {
  try {
    return (error as { code?: unknown }).code;
  } catch {
    return undefined;
  }
};
