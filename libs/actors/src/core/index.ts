export type { ActorClass } from './actor-class.js';
export { ActorContext } from './actor-context.js';
export type { ActorRef, AskOptions } from './actor-ref.js';
export { ActorSystem } from './actor-system.js';
export type { ActorSystemReport } from './actor-system.js';
export { Behavior } from './behavior.js';
export type { BehaviorResult, MessageHandler, SetupFunction, SignalHandler } from './behavior.js';
export type { ContextLogger } from './context-logger.js';
export { ActorError } from './errors/actor.error.js';
export { ActorInitializationException } from './errors/actor-initialization.error.js';
export { ActorsForcedError } from './errors/actors-forced.error.js';
export { ActorSystemStoppingError } from './errors/actor-system-stopping.error.js';
export { AskTimeoutError } from './errors/ask-timeout.error.js';
export { DeathPactError } from './errors/death-pact.error.js';
export { DuplicateActorNameError } from './errors/duplicate-actor-name.error.js';
export { InvalidActorNameError } from './errors/invalid-actor-name.error.js';
export { InvalidActorOptionError } from './errors/invalid-actor-option.error.js';
export { InvalidBehaviorError } from './errors/invalid-behavior.error.js';
export { MailboxFullError } from './errors/mailbox-full.error.js';
export { NoReplyAddressError } from './errors/no-reply-address.error.js';
export { NotAChildError } from './errors/not-a-child.error.js';
export { NotAnActorError } from './errors/not-an-actor.error.js';
export { NothingToStashError } from './errors/nothing-to-stash.error.js';
export { StashFullError } from './errors/stash-full.error.js';
export { UndeliveredError } from './errors/undelivered.error.js';
export { UnknownActorClassError } from './errors/unknown-actor-class.error.js';
export { bounded, Overflow, priority, unbounded } from './mailbox/mailbox-options.js';
export type { MailboxOptions } from './mailbox/mailbox-options.js';
export type { MessageClass } from './message-class.js';
export { DeadLetter } from './observe/dead-letters.js';
export type { DeadLetterReason } from './observe/dead-letters.js';
export type { ActorDescription } from './observe/description.js';
export { ActorFailed, ActorRestarted, ActorStopped } from './observe/event-stream.js';
export type { EventStream } from './observe/event-stream.js';
export { logMessages, measureMessages } from './observe/interceptors.js';
export type { ActorSystemOptions } from './options.js';
export { Props } from './props.js';
export type { ActorOptions, Interceptor } from './props.js';
export { Router } from './routing/router.js';
export { broadcast, consistentHash, random, roundRobin, smallestMailbox } from './routing/routing-strategy.js';
export type { RoutingLogic, RoutingStrategy } from './routing/routing-strategy.js';
export {
  ChildFailed,
  PostRestart,
  PostStop,
  PreRestart,
  PreStart,
  ReceiveTimeout,
  Signal,
  Terminated,
} from './signals.js';
export { allForOne } from './supervision/all-for-one.strategy.js';
export type { BackoffOptions } from './supervision/backoff.js';
export type { Decider } from './supervision/decider.js';
export { Directive } from './supervision/directive.js';
export { exponentialBackoff } from './supervision/exponential-backoff.strategy.js';
export type { SupervisionOptions } from './supervision/limited-restarts.js';
export { oneForOne } from './supervision/one-for-one.strategy.js';
export type { ActorFailure, RestartHistory, SupervisionDecision, SupervisionStrategy } from './supervision/strategy.js';
export { Kill, PoisonPill, Resume, Suspend, SystemMessage, Unwatch, Watch } from './system-messages.js';
export type { ActorTimers, TimerKey } from './timing/actor-timers.js';
export type { Cancellable, Scheduler } from './timing/scheduler.js';
