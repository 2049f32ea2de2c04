import type { ShutdownReason } from './reasons.js';
import type { PhaseReport, ShutdownReport, TaskReport } from './report.js';

/**
 * What `events$` emits, as it happens. The observable completes after `shutdown.terminated`.
 *
 * @publicApi
 */
export type ShutdownEvent =
  /**
   * The host has come up, for whoever begins to work only then. Under Nest: `onApplicationBootstrap` of every provider has
   * ended. It may come again, and while a signal that came during the boot waits: look at `reason`.
   */
  | { type: 'host.booted' }
  | { type: 'shutdown.started'; reason: ShutdownReason }
  | { type: 'phase.started'; phase: string; tasks: number }
  | { type: 'phase.finished' | 'phase.failed' | 'phase.timed-out'; phase: string; report: PhaseReport }
  | { type: 'phase.skipped' | 'phase.disabled'; phase: string; report: PhaseReport }
  | { type: 'task.started'; phase: string; task: string }
  | { type: 'task.finished' | 'task.failed' | 'task.timed-out'; phase: string; task: string; report: TaskReport }
  /** The overall deadline passed, or a second signal ended the process: what was still running. */
  | { type: 'shutdown.forced'; stuck: string[] }
  /** The phases are over. */
  | { type: 'shutdown.finished'; report: ShutdownReport }
  /** The host (the Nest application) is closed too. */
  | { type: 'shutdown.terminated'; report: ShutdownReport };
