import { RoostModuleError } from './roost-module.error.js';

/** `RoostModule.forRoot()` was given something that is not one of its parts, or not the options of one. @publicApi */
export class UnknownPartError extends RoostModuleError {
  constructor(
    readonly part: string,
    known: readonly string[],
  ) {
    super(
      'NEST_UNKNOWN_PART',
      `RoostModule.forRoot() has no use for what it got as \`${part}\`. Its parts are ${known.join(', ')}: ` +
        'give each an object with the options of its module, or false to leave it out.',
    );
  }
}
