import type { ShutdownReason } from './reasons.js';
import type { TaskReport } from './report.js';

/**
 * What is closed after the phases: a Nest application, or whatever the process is built around.
 *
 * @publicApi
 */
export interface ShutdownHost {
  /** Whether it has come up: everything that belongs to its boot is done. @default true */
  readonly booted?: boolean;
  /** A promise while the host is still booting: signals wait for it, at most `bootTimeoutMs`. */
  whenBooted(): Promise<unknown> | undefined;
  /** Called once, when the phases are over. Must not reject for a hook that failed: `hooks()` tells of it. */
  close(reason: ShutdownReason): Promise<void>;
  /** What `close` is still waiting for, by name. */
  pending(): string[];
  /** Hooks that have ended, for the report; with `cutOff` also those still running, as timed out. */
  hooks(cutOff: boolean): TaskReport[];
}
