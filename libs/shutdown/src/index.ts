export {
  ActorSystemTerminateReason,
  ApplicationCloseReason,
  AwaitedInTaskError,
  BootstrapFailedReason,
  captureEarlySignals,
  ClusterDowningReason,
  ClusterLeavingReason,
  ContradictoryOptionsError,
  CoordinatedShutdown,
  DEFAULT_SHUTDOWN_OPTIONS,
  DuplicatePhaseError,
  DuplicateTaskError,
  hasProcessHooks,
  ignoreSignals,
  InvalidNameError,
  InvalidOptionError,
  InvalidTaskError,
  InvalidTimeoutError,
  LatePhaseError,
  Phase,
  PhaseCycleError,
  PhaseGraphLockedError,
  ParentGoneReason,
  ProcessDoneReason,
  ProcessReplacedReason,
  ProcessTerminateReason,
  ShutdownError,
  ShutdownFailedError,
  ShutdownReason,
  TaskTimeoutError,
  terminateProcess,
  UncaughtErrorReason,
  UnknownPhaseError,
  UnknownReason,
} from './core/index.js';
export type {
  CoordinatedShutdownOptions,
  EarlySignalOptions,
  ExitOptions,
  PhaseName,
  PhaseOptions,
  PhasePlan,
  PhaseReport,
  PhaseStatus,
  RunOptions,
  ShutdownEvent,
  ShutdownLogger,
  ShutdownReport,
  ShutdownState,
  ShutdownStatus,
  ShutdownTaskContext,
  ShutdownTaskFunction,
  TaskHandle,
  TaskOptions,
  TaskReport,
  TaskStatus,
  TerminationTarget,
  TimeoutScope,
} from './core/index.js';
export { ShutdownTask } from './decorators/shutdown-task.decorator.js';
export type { ShutdownTaskOptions } from './decorators/shutdown-task.decorator.js';
export { enableCoordinatedShutdown } from './enable-coordinated-shutdown.js';
export type { EnableCoordinatedShutdownOptions } from './enable-coordinated-shutdown.js';
export { ApplicationStoppedError } from './errors/application-stopped.error.js';
export { DuplicateModuleError } from './errors/duplicate-module.error.js';
export { RequestScopedTaskError } from './errors/request-scoped-task.error.js';
export { ShutdownModuleMissingError } from './errors/shutdown-module-missing.error.js';
export { CoordinatedShutdownModule } from './shutdown.module.js';
