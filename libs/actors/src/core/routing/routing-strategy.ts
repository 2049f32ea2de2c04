import { createHash } from 'node:crypto';
import type { ActorRef } from '../actor-ref.js';
import { cellOf } from '../cell/cell-of.js';
import { InvalidActorOptionError } from '../errors/invalid-actor-option.error.js';
import { check } from '../option-checks.js';

/**
 * Selects among the routees of one router. `select` is called for every message, with at least one routee. It gets a
 * new array whenever the routees change.
 *
 * @publicApi
 */
export interface RoutingLogic<M> {
  select(message: M, routees: readonly ActorRef<M>[]): ActorRef<M> | readonly ActorRef<M>[];
}

/** Creates the logic of a router, so that every router has its own state. @publicApi */
export type RoutingStrategy<M> = (random: () => number) => RoutingLogic<M>;

/** Selects the routees in turn. @publicApi */
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

/** Selects a random routee, with the system's option `random`. @publicApi */
export const random = <M>(): RoutingStrategy<M> => {
  return (randomNumber) => ({
    select: (_message, routees) => routees[Math.floor(randomNumber() * routees.length)]!,
  });
};

/**
 * Selects all routees. An `ask` settles with the first reply or failure; later replies become dead letters. @publicApi
 */
export const broadcast = <M>(): RoutingStrategy<M> => {
  return () => ({ select: (_message, routees) => routees });
};

/**
 * Selects the routee with the fewest waiting messages, the first one on a tie. Checks every routee per message.
 * @publicApi
 */
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
 * Sends all messages with the same key to the same routee. When a routee stops, its keys move to the others; all other
 * keys stay where they are.
 *
 * @param virtualNodes points per routee on the hash ring; more points spread keys more evenly. @default 100
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

/** A hash ring. A key belongs to the first point at or after its hash. */
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

/** Stable across processes and releases. */
const hashOf = (text: string): number => createHash('md5').update(text).digest().readUInt32BE();
