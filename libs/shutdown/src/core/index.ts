export { CoordinatedShutdown } from './coordinated-shutdown.js';
export type { RunOptions, ShutdownState } from './coordinated-shutdown.js';
export { AwaitedInTaskError } from './errors/awaited-in-task.error.js';
export { ContradictoryOptionsError } from './errors/contradictory-options.error.js';
export { DuplicatePhaseError } from './errors/duplicate-phase.error.js';
export { DuplicateTaskError } from './errors/duplicate-task.error.js';
export { InvalidNameError } from './errors/invalid-name.error.js';
export { InvalidShutdownOptionError } from './errors/invalid-shutdown-option.error.js';
export { InvalidTaskError } from './errors/invalid-task.error.js';
export { InvalidTimeoutError } from './errors/invalid-timeout.error.js';
export { LatePhaseError } from './errors/late-phase.error.js';
export { PhaseCycleError } from './errors/phase-cycle.error.js';
export { PhaseGraphLockedError } from './errors/phase-graph-locked.error.js';
export { ShutdownError } from './errors/shutdown.error.js';
export { ShutdownFailedError } from './errors/shutdown-failed.error.js';
export { TaskTimeoutError } from './errors/task-timeout.error.js';
export type { TimeoutScope } from './errors/task-timeout.error.js';
export { UnknownPhaseError } from './errors/unknown-phase.error.js';
export type { ShutdownEvent } from './events.js';
export type { ShutdownHost } from './host.js';
export { DEFAULT_SHUTDOWN_OPTIONS } from './options.js';
export type { CoordinatedShutdownOptions, ExitOptions, ResolvedShutdownOptions } from './options.js';
export { Phase } from './phase.js';
export type { PhaseName, PhaseOptions } from './phase.js';
export type { PhasePlan } from './phase-plan.js';
export { FORCE_MARGIN_MS } from './phase-time.js';
export type { PhaseTimeOptions } from './phase-time.js';
export { captureEarlySignals } from './process/early-signals.js';
export type { EarlySignalOptions } from './process/early-signals.js';
export type { FlushableStream, ProcessLike } from './process/process-like.js';
export { hasProcessHooks, ignoreSignals, terminateProcess } from './process/supervised-process.js';
export {
  ActorSystemTerminateReason,
  ApplicationCloseReason,
  BootstrapFailedReason,
  ClusterDowningReason,
  ClusterLeavingReason,
  ParentGoneReason,
  ProcessDoneReason,
  ProcessReplacedReason,
  ProcessTerminateReason,
  ShutdownReason,
  UncaughtErrorReason,
  UnknownReason,
} from './reasons.js';
export type { PhaseReport, PhaseStatus, ShutdownReport, ShutdownStatus, TaskReport, TaskStatus } from './report.js';
export type { ShutdownTaskContext, ShutdownTaskFunction, TaskHandle, TaskOptions, TerminationTarget } from './task.js';
