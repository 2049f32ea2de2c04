import { limitedRestarts, type SupervisionOptions } from './limited-restarts.js';
import type { SupervisionStrategy } from './strategy.js';

/**
 * Applies the directive to the failed actor only. Restarts are limited as in `SupervisionOptions`. This is the default.
 *
 * @example
 * ```ts
 * import { Actor, oneForOne } from '@roost/actors';
 *
 * @Actor({ supervision: oneForOne({ maxRetries: 5, windowMs: 30_000, backoff: { minMs: 100 } }) })
 * export class MailActor {}
 * ```
 *
 * @publicApi
 */
export const oneForOne = (options: SupervisionOptions = {}): SupervisionStrategy => ({
  decide: limitedRestarts(options, 'oneForOne'),
});
