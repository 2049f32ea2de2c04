import { linesOf } from '../logger.js';

/** Lines beside those of the children. */
export const primaryLogger = linesOf('primary');
