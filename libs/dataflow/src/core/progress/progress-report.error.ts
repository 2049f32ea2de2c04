import { DataflowError } from '../errors/dataflow.error.js';

/** A partition has sent an impossible report. No part of the report was used. @publicApi */
export class ProgressReportError extends DataflowError {
  constructor(
    readonly partition: number,
    problem: string,
  ) {
    super(
      'DATAFLOW_PROGRESS_REPORT',
      `The progress report of partition ${partition} ${problem}. Check that all processes run the same graph and that ` +
        'each report arrives once, in order.',
    );
  }
}
