export {
  ActorContext,
  ActorError,
  ActorFailed,
  ActorInitializationException,
  ActorRestarted,
  ActorStopped,
  ActorSystem,
  ActorSystemStoppingError,
  allForOne,
  AskTimeoutError,
  Behavior,
  bounded,
  broadcast,
  ChildFailed,
  consistentHash,
  consoleLogger,
  DeadLetter,
  DeathPactError,
  DEFAULT_ACTOR_SYSTEM_OPTIONS,
  Directive,
  DuplicateActorNameError,
  EventStream,
  exponentialBackoff,
  InvalidActorNameError,
  InvalidActorOptionError,
  InvalidActorStateTransition,
  InvalidBehaviorError,
  Kill,
  logMessages,
  MailboxFullError,
  measureMessages,
  NoReplyAddressError,
  NotAChildError,
  NotAnActorError,
  NothingToStashError,
  oneForOne,
  Overflow,
  PoisonPill,
  PostRestart,
  PostStop,
  PreRestart,
  PreStart,
  priority,
  Props,
  random,
  ReceiveTimeout,
  Resume,
  roundRobin,
  Router,
  Signal,
  smallestMailbox,
  StashFullError,
  Suspend,
  SystemMessage,
  Terminated,
  unbounded,
  UndeliveredError,
  UnknownActorClassError,
  Unwatch,
  Watch,
} from './core/index.js';
export type {
  ActorClass,
  ActorDescription,
  ActorFailure,
  ActorLogger,
  ActorOptions,
  ActorRef,
  ActorState,
  ActorSystemOptions,
  ActorSystemReport,
  ActorSystemState,
  ActorTimers,
  AskOptions,
  BackoffOptions,
  BehaviorResult,
  Cancellable,
  ContextLogger,
  DeadLetterReason,
  Decider,
  ErrorClass,
  EventClass,
  Interceptor,
  MailboxOptions,
  MessageHandler,
  MessageSample,
  OfferOptions,
  PoolOptions,
  ResolvedActorSystemOptions,
  RestartHistory,
  RoutingLogic,
  RoutingStrategy,
  Scheduler,
  SetupFunction,
  SignalHandler,
  StateHandler,
  StuckActor,
  SupervisionDecision,
  SupervisionOptions,
  SupervisionStrategy,
  ThrottleOptions,
  TimerKey,
} from './core/index.js';
export { ActorSystemModule } from './actors.module.js';
export { DEFAULT_ACTOR_SYSTEM_MODULE_OPTIONS } from './actors.options.js';
export type { ActorSystemModuleOptions } from './actors.options.js';
export { getActorSystemToken, getActorToken } from './actors.tokens.js';
export { Actor } from './decorators/actor.decorator.js';
export type { ActorDecoratorOptions } from './decorators/actor.decorator.js';
export { InjectActor } from './decorators/inject-actor.decorator.js';
export { InjectActorSystem } from './decorators/inject-actor-system.decorator.js';
export { OnSignal } from './decorators/on-signal.decorator.js';
export type { OnSignalMethod, SignalClass } from './decorators/on-signal.decorator.js';
export { Receive } from './decorators/receive.decorator.js';
export type { MessageClass, MessageOf, ReceiveMethod } from './decorators/receive.decorator.js';
export { ActorDependencyError } from './errors/actor-dependency.error.js';
export { ActorsForcedError } from './errors/actors-forced.error.js';
export { ActorSystemUnavailableError } from './errors/actor-system-unavailable.error.js';
export { DuplicateActorSystemError } from './errors/duplicate-actor-system.error.js';
export { DuplicateHandlerError } from './errors/duplicate-handler.error.js';
export { InvalidHandlerError } from './errors/invalid-handler.error.js';
export { NotAnActorClassError } from './errors/not-an-actor-class.error.js';
export { RequestScopedActorError } from './errors/request-scoped-actor.error.js';
export { UnknownActorSystemError } from './errors/unknown-actor-system.error.js';
