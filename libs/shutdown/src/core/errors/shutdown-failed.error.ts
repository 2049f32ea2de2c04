import type { ShutdownReport } from '../report.js';
import { ShutdownError } from './shutdown.error.js';

/** Rejection of `run()` under `throwOnFailure: true`. @publicApi */
export class ShutdownFailedError extends ShutdownError {
  constructor(readonly report: ShutdownReport) {
    super(
      'SHUTDOWN_FAILED',
      `The shutdown (${report.reason}) ended with status "${report.status}". See \`report\` for its phases and tasks.`,
    );
  }
}
