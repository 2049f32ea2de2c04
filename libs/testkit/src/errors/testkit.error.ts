import { RoostError } from '@roost/kernel';

/**
 * Base class of all errors in this package. `code` is stable; messages may be reworded.
 *
 * @publicApi
 */
export class TestkitError extends RoostError {}
