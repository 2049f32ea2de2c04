export * from './core/index.js';
export { DrainSignal } from './decorators/drain-signal.decorator.js';
export { ServeWhileDraining } from './decorators/serve-while-draining.decorator.js';
export { DrainModule } from './drain.module.js';
export { DrainService } from './drain.service.js';
export { DrainShutdownMissingError } from './errors/drain-shutdown-missing.error.js';
export { ExemptRoutePatternError } from './errors/exempt-route-pattern.error.js';
