import { ACTOR_METADATA } from '../actors.constants.js';
import type { ActorClass, ActorOptions } from '../core/index.js';

/** Options of `@Actor()`. @publicApi */
export interface ActorDecoratorOptions extends ActorOptions {
  /**
   * Name of the top-level actor that `@InjectActor` or `spawn: 'bootstrap'` creates. @default from the class name:
   * `cart` for `CartActor`
   */
  name?: string;
  /**
   * `bootstrap` spawns one actor when the application boots. `demand` spawns actors only for `spawn()` and
   * `@InjectActor`.
   * @default 'demand'
   */
  spawn?: 'bootstrap' | 'demand';
}

/**
 * Makes a class an actor class. List it in `ActorSystemModule.forFeature([...])`. Every actor has its own instance,
 * created by dependency injection, and gets a new one at every restart. A subclass does not inherit this decorator.
 *
 * @example
 * ```ts
 * import { Actor, bounded, Receive } from '@roost/actors';
 *
 * export class AddItem {
 *   constructor(readonly sku: string) {}
 * }
 *
 * @Actor({ mailbox: bounded(1_000) })
 * export class CartActor {
 *   private readonly items: string[] = [];
 *
 *   @Receive(AddItem)
 *   add({ sku }: AddItem): number {
 *     return this.items.push(sku); // the reply to an ask
 *   }
 * }
 * ```
 *
 * @publicApi
 */
export const Actor =
  (options: ActorDecoratorOptions = {}) =>
  (type: ActorClass): void =>
    Reflect.defineMetadata(ACTOR_METADATA, options, type);

/** Not inherited: a subclass is an actor class only if it is decorated itself. */
export const readActorOptions = (type: ActorClass): ActorDecoratorOptions | undefined =>
  Reflect.getOwnMetadata(ACTOR_METADATA, type) as ActorDecoratorOptions | undefined;
