export { DuplicateProbesError } from './errors/duplicate-probes.error.js';
export { HealthError } from './errors/health.error.js';
export { HealthShutdownMissingError } from './errors/health-shutdown-missing.error.js';
export { InvalidHealthOptionError } from './errors/invalid-health-option.error.js';
export { ProbePortError } from './errors/probe-port.error.js';
export { HealthModule } from './health.module.js';
export { DEFAULT_HEALTH_OPTIONS, DEFAULT_HEALTH_ROUTE_OPTIONS } from './options.js';
export type {
  HealthCheckFunction,
  HealthIndicatorType,
  HealthOptions,
  HealthRouteOptions,
  Probe,
  ProbeIndicator,
} from './options.js';
export { ShutdownHealthIndicator } from './shutdown.health.js';
