import { DataflowError } from '../core/index.js';

/** `DataflowModule` in an application that has no coordinated shutdown to stop its graph. @publicApi */
export class DataflowShutdownMissingError extends DataflowError {
  constructor() {
    super(
      'DATAFLOW_SHUTDOWN_MISSING',
      'DataflowModule found no CoordinatedShutdown. Add CoordinatedShutdownModule.forRoot() from @roost/shutdown to the ' +
        'imports of the root module.',
    );
  }
}
