import { limitedRestarts, type SupervisionOptions } from './limited-restarts.js';
import type { SupervisionStrategy } from './strategy.js';

/**
 * Applies a restart or stop to the failed actor and to all its siblings. Restarts are limited as in
 * `SupervisionOptions`.
 *
 * @example
 * ```ts
 * import { Actor, allForOne } from '@roost/actors';
 *
 * @Actor({ childSupervision: allForOne({ maxRetries: 3, windowMs: 10_000 }) })
 * export class PipelineActor {}
 * ```
 *
 * @publicApi
 */
export const allForOne = (options: SupervisionOptions = {}): SupervisionStrategy => {
  const decide = limitedRestarts(options, 'allForOne');
  return { decide: (failure) => ({ ...decide(failure), includesSiblings: true }) };
};
