export { ActorTestKit } from './actor-test-kit.js';
export type { ActorTestKitOptions } from './actor-test-kit.js';
export { BehaviorTestKit } from './behavior/behavior-test-kit.js';
export type { BehaviorTestKitOptions, EffectClass } from './behavior/behavior-test-kit.js';
export {
  Effect,
  Forwarded,
  MessageAdapted,
  Piped,
  ReceiveTimeoutSet,
  Replied,
  Spawned,
  Stashed,
  Stopped,
  TimerCancelled,
  TimerScheduled,
  Unhandled,
  Unstashed,
  Unwatched,
  Watched,
} from './behavior/effects.js';
export type { TimerKind } from './behavior/effects.js';
export { TestInbox } from './behavior/test-inbox.js';
export { AsyncHandlerError } from './errors/async-handler.error.js';
export { BehaviorBusyError } from './errors/behavior-busy.error.js';
export { BehaviorStoppedError } from './errors/behavior-stopped.error.js';
export { HandlersNotFinishedError } from './errors/handlers-not-finished.error.js';
export { InvalidTestkitOptionError } from './errors/invalid-testkit-option.error.js';
export { KitAlreadyMovingError } from './errors/kit-already-moving.error.js';
export { ManualClockMissingError } from './errors/manual-clock-missing.error.js';
export { NotSettledError } from './errors/not-settled.error.js';
export { NothingToReplyToError } from './errors/nothing-to-reply-to.error.js';
export { ProbeAssertionError } from './errors/probe-assertion.error.js';
export { TestkitError } from './errors/testkit.error.js';
export { DEFAULT_KIT_LIMITS } from './kit-options.js';
export type { KitLimits } from './kit-options.js';
export type { LogEntry, LogLevel } from './log-recorder.js';
export { TestProbe } from './test-probe.js';
export type { ExpectOptions, FishingOutcome } from './test-probe.js';
