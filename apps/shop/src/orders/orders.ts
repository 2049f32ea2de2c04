import { Injectable } from '@nestjs/common';
import { type ActorRef, InjectActor } from '@roost/actors';
import type { Order, PlacedOrder } from './order.js';
import { FindOrder, MarkShipped, type OrdersMessage, PlaceOrder } from './order.messages.js';
import { OrdersActor } from './orders.actor.js';

/** Shorter than what a request waits for its cart, so that the cart hears of it while somebody still listens. */
const TIMEOUT = { timeoutMs: 2_000 };

/** The orders actor, for other modules. */
@Injectable()
export class Orders {
  constructor(@InjectActor(OrdersActor) private readonly actor: ActorRef<OrdersMessage>) {}

  /** Resolves when the order is on the disk. Placing one of the same id again does nothing. */
  place(order: PlacedOrder): Promise<Order> {
    return this.actor.ask<Order>(() => new PlaceOrder(order), TIMEOUT);
  }

  /** Sees every order that was to be placed before the call, even if whoever placed it has given up waiting. */
  find(id: string): Promise<Order | null> {
    return this.actor.ask<Order | null>(() => new FindOrder(id), TIMEOUT);
  }

  async markShipped(id: string): Promise<void> {
    await this.actor.ask<true>(() => new MarkShipped(id), TIMEOUT);
  }
}
