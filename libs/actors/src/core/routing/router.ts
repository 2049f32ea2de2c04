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
 * Behaviors that distribute messages over other actors. A message passes through the router's mailbox and keeps its
 * reply address, so `ask` works. A router that is stopped first forwards all messages sent before.
 *
 * @example
 * ```ts
 * import { ActorSystem, Behavior, consistentHash, Router } from '@roost/actors';
 *
 * interface Job {
 *   readonly customer: string;
 * }
 *
 * const system = new ActorSystem();
 * const pool = system.spawn(
 *   Router.pool({
 *     size: 4,
 *     routee: Behavior.receive((ctx, { customer }: Job) => ctx.log.log(`job for ${customer}`)),
 *     strategy: consistentHash(({ customer }: Job) => customer),
 *   }),
 *   'workers',
 * );
 * pool.tell({ customer: 'c-42' });
 * ```
 *
 * @publicApi
 */
export const Router = {
  /**
   * Creates a router with its own children, `routee-1` to `routee-n`. A routee that fails is supervised like any child.
   * A routee that stops is not replaced, and the router stops with its last routee.
   *
   * @param options.routee behavior, props or class of each routee
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

  /** Creates a router to existing actors. Actors that stop are removed. Without any, messages become dead letters. */
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
      // A message that cannot be routed or delivered must not fail the router, which would restart its routees.
      context.log.error(`could not route a message: ${stackOf(error)}`);
      return Behavior.unhandled();
    }
  }).onSignal((_context, signal) => {
    if (!(signal instanceof Terminated)) return Behavior.same();
    // A routee may be a message adapter, but `Terminated` names the actor behind it.
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
