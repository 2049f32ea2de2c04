import type { ExitOptions } from './options.js';
import type { ShutdownReason } from './reasons.js';
import type { ShutdownStatus } from './report.js';

/** Returns the code in `exit.reasons` for this reason, or else the reason's own code. A failure never exits with 0. */
export function exitCodeFor(reason: ShutdownReason, status: ShutdownStatus, exit: Required<ExitOptions>): number {
  const given = Object.hasOwn(exit.reasons, reason.name) ? exit.reasons[reason.name] : undefined;
  // A reason from another installed copy of this package may have no code.
  const code = given ?? reason.exitCode ?? 0;
  return code === 0 && status !== 'completed' ? exit.onFailure : code;
}
