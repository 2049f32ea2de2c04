import { DataflowError } from '../core/index.js';

/** The graph was used before its nodes existed. @publicApi */
export class DataflowNotBootedError extends DataflowError {
  constructor() {
    super(
      'DATAFLOW_NOT_BOOTED',
      'The nodes of the graph do not exist yet: DataflowModule creates them in onModuleInit. ' +
        'Use the graph in onApplicationBootstrap or later, not in a constructor.',
    );
  }
}
