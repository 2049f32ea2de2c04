import { DataflowError } from './dataflow.error.js';

/** What went wrong in another process, under the code it has there. @publicApi */
export class RemoteError extends DataflowError {
  constructor(
    readonly process: string,
    code: string,
    message: string,
    readonly exitCode: number,
  ) {
    super(code, message);
  }
}
