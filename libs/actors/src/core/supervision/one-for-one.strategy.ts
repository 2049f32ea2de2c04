import { limitedRestarts, type SupervisionOptions } from './limited-restarts.js';
import type { SupervisionStrategy } from './strategy.js';

/** The directive is for the actor that failed. @publicApi */
export const oneForOne = (options: SupervisionOptions = {}): SupervisionStrategy => ({
  decide: limitedRestarts(options, 'oneForOne'),
});
