import type { ShutdownReport } from '../report.js';
import { ShutdownError } from './shutdown.error.js';

/** What `run()` rejects with under `throwOnFailure: true`. @publicApi */
export class ShutdownFailedError extends ShutdownError {
  constructor(readonly report: ShutdownReport) {
    super(
      'SHUTDOWN_FAILED',
      `The shutdown (${report.reason}) ended as ${report.status}; the report names the phases and tasks.`,
    );
  }
}
