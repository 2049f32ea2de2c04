import { DataflowError } from '../core/index.js';

/** The graph is not begun any more, because the application is being shut down. @publicApi */
export class DataflowRefusedError extends DataflowError {
  constructor(readonly reason: string) {
    super('DATAFLOW_REFUSED', `The graph does not start, because the application is shutting down (${reason}).`);
  }
}
