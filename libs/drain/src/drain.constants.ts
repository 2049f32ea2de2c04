/** On a route handler: served while the others are refused. Other packages set it by this name. */
export const SERVE_WHILE_DRAINING = 'roost:serve-while-draining';

/** Provides `() => number`, the count of requests and messages in flight. Other packages ask for it by this name. */
export const IN_FLIGHT = 'roost:in-flight';
