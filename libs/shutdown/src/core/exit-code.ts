import type { ExitOptions } from './options.js';
import { type ShutdownReason, UncaughtErrorReason } from './reasons.js';
import type { ShutdownStatus } from './report.js';

/** The code given for the reason, else 0 (1 after an uncaught error); a failure never ends as 0. */
export function exitCodeFor(reason: ShutdownReason, status: ShutdownStatus, exit: Required<ExitOptions>): number {
  const code = exit.reasons[reason.name] ?? (reason instanceof UncaughtErrorReason ? 1 : 0);
  return code === 0 && status !== 'completed' ? exit.onFailure : code;
}
