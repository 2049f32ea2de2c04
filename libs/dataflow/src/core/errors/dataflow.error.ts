import { RoostError } from '@roost/kernel';

/**
 * Base class of all errors of this library. `code` is stable; messages may change.
 *
 * @publicApi
 */
export class DataflowError extends RoostError {}
