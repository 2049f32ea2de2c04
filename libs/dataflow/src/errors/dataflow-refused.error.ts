import { DataflowError } from '../core/index.js';

/** The graph does not start, because the application is shutting down. @publicApi */
export class DataflowRefusedError extends DataflowError {
  constructor(readonly reason: string) {
    super('DATAFLOW_REFUSED', `The graph does not start, because the application is shutting down (${reason}).`);
  }
}
