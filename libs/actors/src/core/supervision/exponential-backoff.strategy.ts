import type { BackoffOptions } from './backoff.js';
import { limitedRestarts, type SupervisionOptions } from './limited-restarts.js';
import type { SupervisionStrategy } from './strategy.js';

/**
 * Restarts the actor that failed after a delay that doubles from `minMs` to `maxMs`. The number of restarts has no limit
 * unless `maxRetries` is given. @publicApi
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
