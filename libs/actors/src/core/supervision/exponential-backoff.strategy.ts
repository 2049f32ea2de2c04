import type { BackoffOptions } from './backoff.js';
import { limitedRestarts, type SupervisionOptions } from './limited-restarts.js';
import type { SupervisionStrategy } from './strategy.js';

/**
 * Restarts the failed actor after a delay that grows from `minMs` to `maxMs`, by default twofold each time. The number
 * of restarts is unlimited unless `maxRetries` is given.
 *
 * @example
 * ```ts
 * import { Actor, exponentialBackoff } from '@roost/actors';
 *
 * @Actor({ supervision: exponentialBackoff({ minMs: 500, maxMs: 60_000 }) })
 * export class BrokerActor {}
 * ```
 *
 * @publicApi
 */
export const exponentialBackoff = (
  options: BackoffOptions & Omit<SupervisionOptions, 'backoff'> = {},
): SupervisionStrategy => {
  const { maxRetries = Infinity, windowMs, decide, ...backoff } = options;
  const restartOptions = {
    maxRetries,
    backoff,
    ...(windowMs !== undefined && { windowMs }),
    ...(decide && { decide }),
  };
  return { decide: limitedRestarts(restartOptions, 'exponentialBackoff') };
};
