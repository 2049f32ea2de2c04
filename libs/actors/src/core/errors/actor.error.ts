import { RoostError } from '@roost/kernel';

/**
 * Base of every error of the actors. `code` is stable; messages may be reworded.
 *
 * @publicApi
 */
export class ActorError extends RoostError {}
