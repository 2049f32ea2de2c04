export {
  ClientGoneError,
  DEFAULT_DRAIN_OPTIONS,
  DrainError,
  DrainStartedError,
  InvalidDrainOptionError,
  InvalidServerError,
  StuckWorkError,
} from './core/index.js';
export type {
  AnyHttpServer,
  DrainOptions,
  DrainSnapshot,
  Exemption,
  RequestHead,
  ShedResponse,
  WorkInFlight,
} from './core/index.js';
export { DrainSignal } from './decorators/drain-signal.decorator.js';
export { ServeWhileDraining } from './decorators/serve-while-draining.decorator.js';
export { DrainModule } from './drain.module.js';
export { DrainService } from './drain.service.js';
export { DrainShutdownMissingError } from './errors/drain-shutdown-missing.error.js';
export { ExemptRoutePatternError } from './errors/exempt-route-pattern.error.js';
