/** Token of the path of the probes, in a module that has routes for them. */
export const PROBE_ROUTES = Symbol('roost:health:probe-routes');
