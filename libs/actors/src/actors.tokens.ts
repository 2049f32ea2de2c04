import type { InjectionToken } from '@nestjs/common';
import { SYSTEM_TOKEN, TOKEN_METADATA } from './actors.constants.js';
import { type ActorClass, ActorSystem } from './core/index.js';
import { NotAnActorClassError } from './errors/not-an-actor-class.error.js';

/**
 * Returns the token of an actor system, for `inject` of factories and for tests. Without a name it is the token of the
 * default system: the one named `default`, or else the first.
 *
 * @example
 * ```ts
 * import type { INestApplicationContext } from '@nestjs/common';
 * import { type ActorSystem, getActorSystemToken } from '@roost/actors';
 *
 * export const billingSystem = (app: INestApplicationContext): ActorSystem =>
 *   app.get(getActorSystemToken('billing'));
 * ```
 *
 * @publicApi
 */
export const getActorSystemToken = (name?: string): InjectionToken<ActorSystem> =>
  name === undefined ? ActorSystem : `${SYSTEM_TOKEN}${name}`;

/**
 * Returns the token of a class's top-level actor, which is spawned on first use. Outside of constructors, resolve it
 * with `app.resolve()`.
 *
 * @example
 * ```ts
 * import type { INestApplicationContext } from '@nestjs/common';
 * import { Actor, type ActorRef, getActorToken } from '@roost/actors';
 *
 * @Actor()
 * export class CartActor {}
 *
 * export const cartOf = (app: INestApplicationContext): Promise<ActorRef> =>
 *   app.resolve<ActorRef>(getActorToken(CartActor));
 * ```
 *
 * @param system as in `forFeature`; omit it for the default system
 * @throws NotAnActorClassError unless `type` is a class
 * @publicApi
 */
export function getActorToken(type: ActorClass, system?: string): symbol {
  if (typeof type !== 'function') throw new NotAnActorClassError('getActorToken()', type);
  const key = system === undefined ? TOKEN_METADATA : `${TOKEN_METADATA}:${system}`;
  const known = Reflect.getOwnMetadata(key, type) as symbol | undefined;
  if (known) return known;
  const second = system === undefined ? '' : `, '${system}'`;
  // Nest prints this text when no imported module provides the token.
  const token = Symbol(`actor ${type.name}, listed in ActorSystemModule.forFeature([${type.name}]${second})`);
  Reflect.defineMetadata(key, token, type);
  return token;
}
