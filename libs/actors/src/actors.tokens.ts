import type { InjectionToken } from '@nestjs/common';
import { SYSTEM_TOKEN, TOKEN_METADATA } from './actors.constants.js';
import { type ActorClass, ActorSystem } from './core/index.js';
import { NotAnActorClassError } from './errors/not-an-actor-class.error.js';

/**
 * The token of an actor system, for `inject` of factories and for tests. Without a name: that of the default system, which
 * is the one named `default`, or else the first.
 *
 * @publicApi
 */
export const getActorSystemToken = (name?: string): InjectionToken<ActorSystem> =>
  name === undefined ? ActorSystem : `${SYSTEM_TOKEN}${name}`;

/**
 * The token of the top-level actor of a class, which is spawned when it is first asked for. Outside of constructors:
 * `await app.resolve(getActorToken(CartActor))`.
 *
 * @param system as in `forFeature`: left out for the default system
 * @throws NotAnActorClassError unless `type` is a class
 * @publicApi
 */
export function getActorToken(type: ActorClass, system?: string): symbol {
  if (typeof type !== 'function') throw new NotAnActorClassError('getActorToken()', type);
  const key = system === undefined ? TOKEN_METADATA : `${TOKEN_METADATA}:${system}`;
  const known = Reflect.getOwnMetadata(key, type) as symbol | undefined;
  if (known) return known;
  const second = system === undefined ? '' : `, '${system}'`;
  // Nest shows it when no module that is imported provides it.
  const token = Symbol(`actor ${type.name}, listed in ActorSystemModule.forFeature([${type.name}]${second})`);
  Reflect.defineMetadata(key, token, type);
  return token;
}
