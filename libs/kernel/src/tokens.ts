/**
 * Metadata of a route handler that is served while other requests are refused. `health` sets it and `drain` reads it.
 */
export const SERVE_WHILE_DRAINING = 'roost:kernel:serve-while-draining';
