import type { ExitOptions } from './options.js';
import type { ShutdownReason } from './reasons.js';
import type { ShutdownStatus } from './report.js';

/** The code given for the reason in `exit.reasons`, else its own; a failure never ends as 0. */
export function exitCodeFor(reason: ShutdownReason, status: ShutdownStatus, exit: Required<ExitOptions>): number {
  const given = Object.hasOwn(exit.reasons, reason.name) ? exit.reasons[reason.name] : undefined;
  // A reason of another installed copy of this package may have no code.
  const code = given ?? reason.exitCode ?? 0;
  return code === 0 && status !== 'completed' ? exit.onFailure : code;
}
