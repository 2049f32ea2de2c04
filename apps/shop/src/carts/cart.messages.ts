import type { OrderLine } from '../orders/order.js';

/** A message to one cart. The carts actor forwards it by name. */
export abstract class CartMessage {
  constructor(readonly cart: string) {}
}

/** Reply: a `CartView`. */
export class ShowCart extends CartMessage {}

/** Reply: a `CartView`, or `'too-many'`. */
export class AddItem extends CartMessage {
  constructor(
    cart: string,
    readonly line: OrderLine,
  ) {
    super(cart);
  }
}

/** Reply: a `CartView`. */
export class RemoveItem extends CartMessage {
  constructor(
    cart: string,
    readonly sku: string,
  ) {
    super(cart);
  }
}

/** Reply: an `Order`, or `'empty'`. */
export class Checkout extends CartMessage {}

/** Sent by a cart to the carts actor when no request has arrived for a while. */
export class CartIdle {
  constructor(readonly idle: string) {}
}
