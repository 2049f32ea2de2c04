import { DataflowError } from './dataflow.error.js';

/** An input has several connections, and nothing says in which order. @publicApi */
export class FanInError extends DataflowError {
  constructor(
    readonly input: string,
    readonly outputs: readonly string[],
  ) {
    super(
      'DATAFLOW_FAN_IN',
      `${input} is connected to more than one output (${outputs.join(', ')}), and nothing says which comes first. ` +
        `Connect them all at once, in order: g.merge([${outputs.join(', ')}], ${input}).`,
    );
  }
}
