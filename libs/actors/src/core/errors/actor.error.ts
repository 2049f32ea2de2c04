import { RoostError } from '@roost/kernel';

/**
 * Base class of all errors in this package. `code` is stable; messages may be reworded.
 *
 * @example
 * ```ts
 * import { ActorError, type ActorRef } from '@roost/actors';
 *
 * export async function isAlive(ref: ActorRef<'ping'>): Promise<boolean> {
 *   try {
 *     await ref.ask<'pong'>(() => 'ping', { timeoutMs: 100 });
 *     return true;
 *   } catch (error) {
 *     if (error instanceof ActorError && error.code === 'ACTORS_ASK_TIMEOUT') return false;
 *     throw error;
 *   }
 * }
 * ```
 *
 * @publicApi
 */
export class ActorError extends RoostError {}
