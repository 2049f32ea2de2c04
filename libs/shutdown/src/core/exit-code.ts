import type { ExitOptions } from './options.js';
import { BootstrapFailedReason, ProcessDoneReason, type ShutdownReason, UncaughtErrorReason } from './reasons.js';
import type { ShutdownStatus } from './report.js';

/** The code given for the reason, else its own, else 0 (1 after an uncaught error or a failed boot); a failure never ends as 0. */
export function exitCodeFor(reason: ShutdownReason, status: ShutdownStatus, exit: Required<ExitOptions>): number {
  const given = Object.hasOwn(exit.reasons, reason.name) ? exit.reasons[reason.name] : undefined;
  const code = given ?? ownCodeOf(reason);
  return code === 0 && status !== 'completed' ? exit.onFailure : code;
}

function ownCodeOf(reason: ShutdownReason): number {
  if (reason instanceof ProcessDoneReason) return reason.exitCode;
  return reason instanceof UncaughtErrorReason || reason instanceof BootstrapFailedReason ? 1 : 0;
}
