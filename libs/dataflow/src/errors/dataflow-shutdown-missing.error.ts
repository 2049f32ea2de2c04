import { DataflowError } from '../core/index.js';

/**
 * `DataflowModule` is imported, but the application has no coordinated shutdown that could stop the graph.
 *
 * @publicApi
 */
export class DataflowShutdownMissingError extends DataflowError {
  constructor() {
    super(
      'DATAFLOW_SHUTDOWN_MISSING',
      'DataflowModule found no CoordinatedShutdown. Add CoordinatedShutdownModule.forRoot() from @roost/shutdown to the ' +
        'imports of the root module.',
    );
  }
}
