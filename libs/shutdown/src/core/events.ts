import type { ShutdownReason } from './reasons.js';
import type { PhaseReport, ShutdownReport, TaskReport } from './report.js';

/**
 * Events of `events$`. The observable completes after `shutdown.terminated`.
 *
 * @publicApi
 */
export type ShutdownEvent =
  /**
   * The host has booted, so parts that wait for the boot can start working. Under Nest: `onApplicationBootstrap` of
   * every provider has finished. It may be emitted more than once, and even while a signal received during boot is
   * pending, so check `reason` first.
   */
  | { type: 'host.booted' }
  | { type: 'shutdown.started'; reason: ShutdownReason }
  | { type: 'phase.started'; phase: string; tasks: number }
  | { type: 'phase.finished' | 'phase.failed' | 'phase.timed-out'; phase: string; report: PhaseReport }
  | { type: 'phase.skipped' | 'phase.disabled'; phase: string; report: PhaseReport }
  | { type: 'task.started'; phase: string; task: string }
  | { type: 'task.finished' | 'task.failed' | 'task.timed-out'; phase: string; task: string; report: TaskReport }
  /** The overall deadline passed, or a second signal ended the process. `stuck` names the work still running. */
  | { type: 'shutdown.forced'; stuck: string[] }
  /** The phases have finished. */
  | { type: 'shutdown.finished'; report: ShutdownReport }
  /** The host (the Nest application) has closed, too. */
  | { type: 'shutdown.terminated'; report: ShutdownReport };
