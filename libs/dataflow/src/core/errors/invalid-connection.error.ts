import { describeValue } from '@roost/kernel';
import { DataflowError } from './dataflow.error.js';

/** An end of a connection is not a port of this graph. @publicApi */
export class InvalidConnectionError extends DataflowError {
  constructor(
    readonly expected: string,
    readonly given: unknown,
  ) {
    super(
      'DATAFLOW_INVALID_CONNECTION',
      `A connection needs ${expected}, but got ${describeValue(given)}. ` +
        'Take both ends from the results of g.node(): g.connect(a.out, b.in).',
    );
  }
}
