import { createHash } from 'node:crypto';
import type { ActorRef } from '../actor-ref.js';
import { cellOf } from '../cell/cell-of.js';
import { InvalidActorOptionError } from '../errors/invalid-actor-option.error.js';
import { check } from '../option-checks.js';

/**
 * Chooses among the routees of one router. `select` is called for every message, with at least one routee, and with a new
 * list whenever they have changed.
 *
 * @publicApi
 */
export interface RoutingLogic<M> {
  select(message: M, routees: readonly ActorRef<M>[]): ActorRef<M> | readonly ActorRef<M>[];
}

/** Makes the logic of a router, so that every router has a state of its own. @publicApi */
export type RoutingStrategy<M> = (random: () => number) => RoutingLogic<M>;

/** One after the other. @publicApi */
export const roundRobin = <M>(): RoutingStrategy<M> => {
  return () => {
    let next = 0;
    return {
      select(_message, routees) {
        next %= routees.length;
        return routees[next++]!;
      },
    };
  };
};

/** Any of them, by the option `random` of the system. @publicApi */
export const random = <M>(): RoutingStrategy<M> => {
  return (randomNumber) => ({
    select: (_message, routees) => routees[Math.floor(randomNumber() * routees.length)]!,
  });
};

/** All of them. An `ask` gets the first reply or failure of any; later replies are dead letters. @publicApi */
export const broadcast = <M>(): RoutingStrategy<M> => {
  return () => ({ select: (_message, routees) => routees });
};

/** The one with the fewest messages waiting, the first of those. Looks at every routee for every message. @publicApi */
export const smallestMailbox = <M>(): RoutingStrategy<M> => {
  return () => ({
    select(_message, routees) {
      let best = routees[0]!;
      let least = Infinity;
      for (const routee of routees) {
        const waiting = cellOf(routee).waiting;
        if (waiting < least) [best, least] = [routee, waiting];
      }
      return best;
    },
  });
};

/**
 * Messages of one key to one routee. When a routee goes, its keys are spread over the others and all other keys stay
 * where they are.
 *
 * @param virtualNodes places of each routee on the ring: more are more even. @default 100
 * @publicApi
 */
export function consistentHash<M>(keyOf: (message: M) => string | number, virtualNodes = 100): RoutingStrategy<M> {
  if (typeof keyOf !== 'function') throw new InvalidActorOptionError('consistentHash(keyOf)', keyOf, 'a function');
  check.number(virtualNodes, 'consistentHash(virtualNodes)', { least: 1, most: 10_000, whole: true });
  return () => {
    let known: readonly ActorRef<M>[] = [];
    let ring: HashRing<M> | undefined;
    return {
      select(message, routees) {
        if (known !== routees || !ring) {
          known = routees;
          ring = new HashRing(routees, virtualNodes);
        }
        return ring.at(String(keyOf(message)));
      },
    };
  };
}

/** Points on a circle; a key belongs to the first point at or after its hash. */
class HashRing<M> {
  readonly #points: { readonly hash: number; readonly routee: ActorRef<M> }[];

  constructor(routees: readonly ActorRef<M>[], virtualNodes: number) {
    this.#points = routees
      .flatMap((routee) =>
        Array.from({ length: virtualNodes }, (_, n) => ({ hash: hashOf(`${routee.path}#${n}`), routee })),
      )
      .sort((a, b) => a.hash - b.hash);
  }

  at(key: string): ActorRef<M> {
    const hash = hashOf(key);
    let low = 0;
    let high = this.#points.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.#points[middle]!.hash < hash) low = middle + 1;
      else high = middle;
    }
    return this.#points[low % this.#points.length]!.routee;
  }
}

/** Stable between processes and releases. */
const hashOf = (text: string): number => createHash('md5').update(text).digest().readUInt32BE();
