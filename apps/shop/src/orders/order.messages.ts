import type { Order, PlacedOrder } from './order.js';

/** Reply: the order, also when one of its id was placed before. */
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

/** On the event stream of the actor system, for those who want to know. */
export class OrderConfirmed {
  constructor(readonly order: Order) {}
}
