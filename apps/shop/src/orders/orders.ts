import { Injectable } from '@nestjs/common';
import { type ActorRef, InjectActor } from '@roost/actors';
import type { Order, PlacedOrder } from './order.js';
import { FindOrder, MarkShipped, type OrdersMessage, PlaceOrder } from './order.messages.js';
import { OrdersActor } from './orders.actor.js';

/**
 * Shorter than the ask timeout of the HTTP request, so that the cart learns of a timeout while its caller still waits.
 */
const TIMEOUT = { timeoutMs: 2_000 };

/** Access to the orders actor for other modules. */
@Injectable()
export class Orders {
  constructor(@InjectActor(OrdersActor) private readonly actor: ActorRef<OrdersMessage>) {}

  /** Resolves when the order is on disk. Placing an order with the same id again does nothing. */
  place(order: PlacedOrder): Promise<Order> {
    return this.actor.ask<Order>(() => new PlaceOrder(order), TIMEOUT);
  }

  /** Sees every order whose placement was requested before this call, even if the caller stopped waiting for it. */
  find(id: string): Promise<Order | null> {
    return this.actor.ask<Order | null>(() => new FindOrder(id), TIMEOUT);
  }

  async markShipped(id: string): Promise<void> {
    await this.actor.ask<true>(() => new MarkShipped(id), TIMEOUT);
  }
}
