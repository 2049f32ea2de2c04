export { ForRootMissingError } from './errors/for-root-missing.error.js';
export { RoostModuleError } from './errors/roost-module.error.js';
export { UnknownPartError } from './errors/unknown-part.error.js';
export { RoostModule } from './roost.module.js';
export type { RoostOptions } from './roost.module.js';
