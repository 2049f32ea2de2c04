import { ACTOR_METADATA } from '../actors.constants.js';
import type { ActorClass, ActorOptions } from '../core/index.js';

/** @publicApi */
export interface ActorDecoratorOptions extends ActorOptions {
  /** Of the actor that `@InjectActor` and `spawn: 'bootstrap'` make. @default the class name: `cart` for `CartActor` */
  name?: string;
  /**
   * `bootstrap`: one is spawned when the application boots. `demand`: only what is asked for, by `spawn()` or
   * `@InjectActor`. @default 'demand'
   */
  spawn?: 'bootstrap' | 'demand';
}

/**
 * Makes a class an actor, once it is listed in `ActorSystemModule.forFeature([...])`. Every actor has an instance of its
 * own, made by dependency injection, and a fresh one after every restart.
 *
 * @publicApi
 */
export const Actor =
  (options: ActorDecoratorOptions = {}) =>
  (type: ActorClass): void =>
    Reflect.defineMetadata(ACTOR_METADATA, options, type);

/** Not inherited: a subclass is an actor of its own, if it is one at all. */
export const readActorOptions = (type: ActorClass): ActorDecoratorOptions | undefined =>
  Reflect.getOwnMetadata(ACTOR_METADATA, type) as ActorDecoratorOptions | undefined;
