import type { ActorSystem } from './actor-system.js';
import type { Behavior, BehaviorKind, MessageHandler, SetupFunction, SignalHandler } from './behavior.js';
import type { Dispatcher } from './dispatch/dispatcher.js';
import type { SystemActivity } from './observe/activity.js';
import type { Census } from './observe/census.js';
import type { ActorOptions, Props } from './props.js';
import type { SupervisionStrategy } from './supervision/strategy.js';
import type { AlarmClock } from './timing/alarm-clock.js';

/** Members of `ActorSystem` that its published types omit. */
export interface SystemInternals {
  readonly dispatcher: Dispatcher;
  readonly alarms: AlarmClock;
  activity(): SystemActivity;
  census(): Census;
}

/** Members of `Behavior` that its published types omit. */
export interface BehaviorInternals<M> {
  readonly kind: BehaviorKind;
  readonly onMessage: MessageHandler<M>;
  readonly signalHandler: SignalHandler<M> | undefined;
  readonly initialize: SetupFunction<M> | undefined;
  readonly supervision: SupervisionStrategy | undefined;
}

/** Members of `Props` that its published types omit. */
export interface PropsInternals extends ActorOptions {
  readonly behavior: Behavior<never>;
}

export function internalsOf(system: ActorSystem): SystemInternals;
export function internalsOf<M>(behavior: Behavior<M>): BehaviorInternals<M>;
export function internalsOf(props: Props): PropsInternals;
/** Returns the same object, typed with its `@internal` members. For specs and `@roost/testkit`. */
export function internalsOf(
  owner: ActorSystem | Behavior<unknown> | Props,
): SystemInternals | BehaviorInternals<unknown> | PropsInternals {
  return owner as SystemInternals | BehaviorInternals<unknown> | PropsInternals;
}
