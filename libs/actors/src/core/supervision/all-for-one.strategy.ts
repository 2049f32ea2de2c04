import { limitedRestarts, type SupervisionOptions } from './limited-restarts.js';
import type { SupervisionStrategy } from './strategy.js';

/** A restart or stop is for the actor that failed and all its siblings. @publicApi */
export const allForOne = (options: SupervisionOptions = {}): SupervisionStrategy => {
  const decide = limitedRestarts(options, 'allForOne');
  return { decide: (failure) => ({ ...decide(failure), includesSiblings: true }) };
};
