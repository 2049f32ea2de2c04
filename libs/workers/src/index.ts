export {
  ChildrenLostError,
  CrashLoopReason,
  DEFAULT_FLEET_OPTIONS,
  DEFAULT_WORKERS_OPTIONS,
  DuplicateChildError,
  DuplicateProcessError,
  exponentialBackoff,
  Fleet,
  FleetDoneReason,
  InvalidWorkerOptionError,
  NestedLaunchError,
  neverRestart,
  NothingToLaunchError,
  ProcessEndedError,
  ProcessesFailedError,
  ProcessesStuckError,
  readStatus,
  reportInFlight,
  reportReady,
  runGracefully,
  StatusSocketError,
  StopRequestedError,
  Workers,
  WorkersError,
  WorkersStoppedError,
} from './core/index.js';
export type {
  BackoffOptions,
  ChildOptions,
  ChildStatus,
  ConsumeOptions,
  ConsumeSource,
  FileOptions,
  FleetOptions,
  FleetStatus,
  HttpWorkerOptions,
  ItemSource,
  Lease,
  ProcessDefinition,
  ProcessDescription,
  ProcessState,
  RestartPolicy,
  RunGracefullyOptions,
  RunToken,
  ScriptOptions,
  WorkersLogger,
  WorkersOptions,
  WorkersState,
} from './core/index.js';
export { BackgroundProcess } from './decorators/background-process.decorator.js';
export type { BackgroundProcessOptions, ProcessHandler } from './decorators/background-process.decorator.js';
export { MissingHandleError } from './errors/missing-handle.error.js';
export { RequestScopedProcessError } from './errors/request-scoped-process.error.js';
export { WorkersShutdownMissingError } from './errors/workers-shutdown-missing.error.js';
export { launch } from './launch.js';
export type { LaunchOptions, ModuleProcessOptions } from './launch.js';
export { WorkersModule } from './workers.module.js';
