import { DataflowError } from './dataflow.error.js';

/** A reaction used a port that it did not declare. @publicApi */
export class UndeclaredAccessError extends DataflowError {
  constructor(
    readonly node: string,
    readonly reaction: string,
    readonly port: string,
    how: 'reads' | 'writes',
  ) {
    super(
      'DATAFLOW_UNDECLARED_ACCESS',
      `${node}.${reaction}() ${how} "${port}" without declaring it, so it may run too early. Add it to ${how}: @Reaction(…, { ${how}: ['${port}'] }).`,
    );
  }
}
