export * from './core/index.js';
export { BackgroundProcess } from './decorators/background-process.decorator.js';
export type { BackgroundProcessOptions, ProcessHandler } from './decorators/background-process.decorator.js';
export { MissingHandleError } from './errors/missing-handle.error.js';
export { RequestScopedProcessError } from './errors/request-scoped-process.error.js';
export { WorkersShutdownMissingError } from './errors/workers-shutdown-missing.error.js';
export { launch } from './launch.js';
export type { LaunchOptions, ModuleProcessOptions } from './launch.js';
export { WorkersModule } from './workers.module.js';
