import type { OrderLine } from '../orders/order.js';

/** For one cart. The carts actor hands it on by the name. */
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

/** From a cart to the carts actor: nobody has asked for me for a while. */
export class CartIdle {
  constructor(readonly idle: string) {}
}
