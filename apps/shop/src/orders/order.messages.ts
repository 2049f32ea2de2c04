import type { Order, PlacedOrder } from './order.js';

/** Reply: the order, even if an order with its id was placed before. */
export class PlaceOrder {
  constructor(readonly order: PlacedOrder) {}
}

/** Reply: the order, or null. */
export class FindOrder {
  constructor(readonly id: string) {}
}

/** Reply: true. */
export class MarkShipped {
  constructor(readonly id: string) {}
}

export type OrdersMessage = PlaceOrder | FindOrder | MarkShipped;

/** Published on the event stream of the actor system. */
export class OrderConfirmed {
  constructor(readonly order: Order) {}
}
