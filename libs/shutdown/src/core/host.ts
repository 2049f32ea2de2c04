import type { ShutdownReason } from './reasons.js';
import type { TaskReport } from './report.js';

/**
 * The object that is closed after the phases: a Nest application, or the object a process is built around.
 *
 * @publicApi
 */
export interface ShutdownHost {
  /** Whether its boot is complete. @default true */
  readonly booted?: boolean;
  /** Returns a promise while the host is still booting. A signal waits for it, up to `bootTimeoutMs`. */
  whenBooted(): Promise<unknown> | undefined;
  /** Called once, after the phases. Must not reject because a hook failed; `hooks()` reports such a failure. */
  close(reason: ShutdownReason): Promise<void>;
  /** Names of the steps that `close` is still waiting for. */
  pending(): string[];
  /** Finished hooks, for the report. With `cutOff`, hooks that are still running are included as timed out. */
  hooks(cutOff: boolean): TaskReport[];
}
