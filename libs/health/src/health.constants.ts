/** Token of the probes' path, in a module that serves them as routes. */
export const PROBE_ROUTES = Symbol('roost:health:probe-routes');
