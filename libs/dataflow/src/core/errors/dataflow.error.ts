import { RoostError } from '@roost/kernel';

/**
 * Base of every error this library throws. `code` is stable; messages may be reworded.
 *
 * @publicApi
 */
export class DataflowError extends RoostError {}
