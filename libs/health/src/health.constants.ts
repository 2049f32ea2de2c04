/** On a route handler: `@roost/drain` serves it while it refuses other requests. */
export const SERVE_WHILE_DRAINING = 'roost:serve-while-draining';

/** `@roost/drain`, if it is installed, provides `() => number` for it: the requests and messages in flight. */
export const IN_FLIGHT = 'roost:in-flight';

/** The path of the probes, in a module that has routes for them. */
export const PROBE_ROUTES = Symbol('roost:probe-routes');
