import { DataflowError } from './dataflow.error.js';

/** Reactions form a cycle without delay, so each would have to run before itself. @publicApi */
export class ZeroDelayCycleError extends DataflowError {
  constructor(readonly path: readonly string[]) {
    super(
      'DATAFLOW_ZERO_DELAY_CYCLE',
      `Cycle without delay: ${path.join(' → ')}. Each reaction would have to run before the others at the same tag. Add a delay to one of the connections ({ after: span.ms(1) }, or after: span.ns(0) for a microstep), or list in writes the outputs that a reaction actually writes.`,
    );
  }
}
