import { Actor, type ActorContext, bounded, Directive, oneForOne, Receive } from '@roost/actors';
import type { Order } from './order.js';
import { OrderBook } from './order-book.js';
import { FindOrder, MarkShipped, OrderConfirmed, type OrdersMessage, PlaceOrder } from './order.messages.js';

/**
 * The only writer of the journal, one entry at a time. The actor has no state, and a failed write leaves the book
 * unchanged, so after a failure it resumes with the next message.
 */
@Actor({ mailbox: bounded(500), supervision: oneForOne({ decide: () => Directive.Resume }) })
export class OrdersActor {
  constructor(private readonly book: OrderBook) {}

  @Receive(PlaceOrder)
  async place({ order }: PlaceOrder, ctx: ActorContext<OrdersMessage>): Promise<Order> {
    const known = this.book.find(order.id);
    if (known) return known;
    const placed = await this.book.place(order);
    ctx.system.events.publish(new OrderConfirmed(placed));
    return placed;
  }

  @Receive(FindOrder)
  find({ id }: FindOrder): Order | null {
    return this.book.find(id) ?? null;
  }

  @Receive(MarkShipped)
  async markShipped({ id }: MarkShipped): Promise<true> {
    if (this.book.find(id)?.status === 'placed') await this.book.markShipped(id);
    return true;
  }
}
