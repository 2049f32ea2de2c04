import { RoostModuleError } from './roost-module.error.js';

/** `RoostModule` was imported as a bare class, without `forRoot()`, and would provide nothing. @publicApi */
export class ForRootMissingError extends RoostModuleError {
  constructor() {
    super(
      'NEST_FOR_ROOT_MISSING',
      'RoostModule is imported without forRoot(). Write RoostModule.forRoot() in the imports of the root module.',
    );
  }
}
