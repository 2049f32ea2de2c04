import { DataflowError } from './dataflow.error.js';

/** An input has several connections, but their order is not defined. @publicApi */
export class FanInError extends DataflowError {
  constructor(
    readonly input: string,
    readonly outputs: readonly string[],
  ) {
    super(
      'DATAFLOW_FAN_IN',
      `${input} is connected to more than one output (${outputs.join(', ')}), but their order is not defined. ` +
        `Connect them in one call, in order: g.merge([${outputs.join(', ')}], ${input}).`,
    );
  }
}
