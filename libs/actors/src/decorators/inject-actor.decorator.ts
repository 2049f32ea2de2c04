import { Inject } from '@nestjs/common';
import { getActorToken } from '../actors.tokens.js';
import type { ActorClass } from '../core/index.js';

/**
 * Injects the `ActorRef` of the top-level actor of this class. The actor is spawned under its name when the application
 * boots, once for all injections. Messages can be sent at once; the actor starts after all `onModuleInit` hooks have
 * finished. The module must import a `forFeature` that lists the class.
 *
 * @example
 * ```ts
 * import { Injectable } from '@nestjs/common';
 * import { Actor, type ActorRef, InjectActor, Receive } from '@roost/actors';
 *
 * class AddItem {
 *   constructor(readonly sku: string) {}
 * }
 *
 * @Actor()
 * class CartActor {
 *   private readonly items: string[] = [];
 *
 *   @Receive(AddItem)
 *   add({ sku }: AddItem): number {
 *     return this.items.push(sku);
 *   }
 * }
 *
 * @Injectable()
 * export class CartService {
 *   constructor(@InjectActor(CartActor) private readonly cart: ActorRef<AddItem>) {}
 *
 *   add(sku: string): Promise<number> {
 *     return this.cart.ask<number>(() => new AddItem(sku));
 *   }
 * }
 * ```
 *
 * @param system as in `forFeature`; omit it for the default system
 * @throws NotAnActorClassError unless `type` is a class
 * @publicApi
 */
export const InjectActor = (type: ActorClass, system?: string): PropertyDecorator & ParameterDecorator =>
  Inject(getActorToken(type, system));
