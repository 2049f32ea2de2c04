import { stackOf } from '@roost/kernel';
import type { ActorClass } from '../actor-class.js';
import type { ActorContext } from '../actor-context.js';
import type { ActorRef } from '../actor-ref.js';
import { Behavior } from '../behavior.js';
import { cellOf } from '../cell/cell-of.js';
import { InvalidActorOptionError } from '../errors/invalid-actor-option.error.js';
import type { Props } from '../props.js';
import { Terminated } from '../signals.js';
import { check } from '../option-checks.js';
import { roundRobin, type RoutingStrategy } from './routing-strategy.js';

/**
 * Behaviors that hand messages on. A message passes through the mailbox of the router and keeps its reply address, so
 * `ask` works. When the router is stopped it first hands on all that was sent before.
 *
 * @publicApi
 */
export const Router = {
  /**
   * A router with children of its own, `routee-1` to `routee-n`. One that fails is supervised as any child; one that has
   * ended is not replaced. The router ends with its last routee.
   *
   * @param options.routee what each routee is made from
   * @param options.strategy @default roundRobin()
   */
  pool<M>(options: {
    size: number;
    routee: Behavior<M> | Props<M> | ActorClass;
    strategy?: RoutingStrategy<M>;
  }): Behavior<M> {
    check.knownKeys(options, ['size', 'routee', 'strategy'], 'Router.pool');
    const { size, routee, strategy = roundRobin<M>() } = options;
    check.number(size, 'Router.pool.size', { least: 1, most: 1_000_000, whole: true });
    assertStrategy(strategy);
    return Behavior.setup<M>((ctx) => {
      const routees = Array.from({ length: size }, (_, n) => ctx.spawn<M>(routee, `routee-${n + 1}`));
      return routing(ctx, routees, strategy, () => Behavior.stopped());
    });
  },

  /** A router to actors that live elsewhere. One that ends is left out; without any, messages are dead letters. */
  group<M>(routees: readonly ActorRef<M>[], strategy: RoutingStrategy<M> = roundRobin<M>()): Behavior<M> {
    if (!Array.isArray(routees) || routees.length === 0) {
      throw new InvalidActorOptionError('Router.group(routees)', routees, 'a list of at least one ActorRef');
    }
    assertStrategy(strategy);
    return Behavior.setup<M>((ctx) => routing(ctx, routees, strategy, () => Behavior.same()));
  },
} as const;

function routing<M>(
  ctx: ActorContext<M>,
  initial: readonly ActorRef<M>[],
  strategy: RoutingStrategy<M>,
  whenEmpty: () => Behavior<M>,
): Behavior<M> {
  const logic = strategy(ctx.system.options.random);
  let routees = initial;
  for (const routee of routees) ctx.watch(routee);
  return Behavior.receive<M>((context, message) => {
    if (routees.length === 0) {
      context.system.deadLetters.add(message, context.sender, context.path, 'no-routee');
      return;
    }
    try {
      const chosen = logic.select(message, routees);
      for (const routee of isList(chosen) ? chosen : [chosen]) context.forward(routee, message);
    } catch (error) {
      // A message that cannot be routed, or not be taken, is no reason to lose the routees.
      context.log.error(`could not route a message: ${stackOf(error)}`);
      return Behavior.unhandled();
    }
  }).onSignal((_context, signal) => {
    if (!(signal instanceof Terminated)) return Behavior.same();
    // What is watched is the actor behind an address.
    routees = routees.filter((routee) => cellOf(routee) !== signal.ref);
    return routees.length === 0 ? whenEmpty() : Behavior.same();
  });
}

const isList = <M>(chosen: ActorRef<M> | readonly ActorRef<M>[]): chosen is readonly ActorRef<M>[] =>
  Array.isArray(chosen);

function assertStrategy(strategy: unknown): void {
  if (typeof strategy === 'function') return;
  throw new InvalidActorOptionError('Router strategy', strategy, 'made by roundRobin() or another strategy');
}
