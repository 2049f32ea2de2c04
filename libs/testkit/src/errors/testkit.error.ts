import { RoostError } from '@roost/kernel';

/**
 * Base of every error of the test kit. `code` is stable; messages may be reworded.
 *
 * @publicApi
 */
export class TestkitError extends RoostError {}
