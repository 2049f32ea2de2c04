import { RoostModuleError } from './roost-module.error.js';

/** `RoostModule.forRoot()` got an option it does not have, or a value that is neither an object nor false. @publicApi */
export class UnknownPartError extends RoostModuleError {
  constructor(
    readonly part: string,
    known: readonly string[],
  ) {
    const problem = known.includes(part)
      ? `Invalid value for option \`${part}\` in RoostModule.forRoot().`
      : `Unknown option \`${part}\` in RoostModule.forRoot().`;
    super(
      'NEST_UNKNOWN_PART',
      `${problem} Valid options: ${known.join(', ')}. ` +
        'Give each an object with the options of its module, or false to leave that module out.',
    );
  }
}
