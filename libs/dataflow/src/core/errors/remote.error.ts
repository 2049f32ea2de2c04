import { DataflowError } from './dataflow.error.js';

/** An error of another process, with its original code. @publicApi */
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
