import { DataflowError } from '../core/index.js';

/** The graph was looked at before its nodes were there. @publicApi */
export class DataflowNotBootedError extends DataflowError {
  constructor() {
    super(
      'DATAFLOW_NOT_BOOTED',
      'The nodes of the graph are made in onModuleInit of DataflowModule. Look at the graph in onApplicationBootstrap or ' +
        'later, not in a constructor.',
    );
  }
}
