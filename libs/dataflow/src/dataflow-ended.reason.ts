import { messageOf } from '@roost/kernel';
import { ProcessDoneReason } from '@roost/shutdown';
import type { DataflowReport } from './core/index.js';

/** Shutdown reason of an application that shuts down because its graph has ended. See the option `exit`. @publicApi */
export class DataflowEndedReason extends ProcessDoneReason {
  private constructor(
    detail: string,
    exitCode: number,
    /** Report of the run. Undefined if the run could not start. */
    readonly report?: DataflowReport,
  ) {
    super(exitCode, 'dataflow-ended', detail);
  }

  /** @internal */
  static of(report: DataflowReport): DataflowEndedReason {
    const detail = report.error ? `${report.status}: ${messageOf(report.error)}` : report.status;
    return new DataflowEndedReason(detail, report.exitCode, report);
  }

  /** @internal */
  static failed(error: unknown): DataflowEndedReason {
    return new DataflowEndedReason(messageOf(error), 1);
  }
}
