import { DataflowError } from './dataflow.error.js';

/** Reactions that would have to run before themselves. @publicApi */
export class ZeroDelayCycleError extends DataflowError {
  constructor(readonly path: readonly string[]) {
    super(
      'DATAFLOW_ZERO_DELAY_CYCLE',
      `A cycle without delay: ${path.join(' → ')}. Each would have to run before the other at the same tag. Put a delay on one of its connections ({ after: span.ms(1) }, or after: span.ns(0) for a microstep), or say with writes which outputs a reaction really writes.`,
    );
  }
}
