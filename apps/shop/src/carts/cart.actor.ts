import {
  Actor,
  type ActorContext,
  type ActorRef,
  bounded,
  oneForOne,
  OnSignal,
  PostRestart,
  PreStart,
  Receive,
  ReceiveTimeout,
} from '@roost/actors';
import { ShopConfig } from '../config.js';
import { totalOf } from '../orders/order.js';
import { Orders } from '../orders/orders.js';
import { type Cart, type CartView, emptyCart, MOST_OF_ONE, quantityOf, viewOf, withLine, withoutLine } from './cart.js';
import { AddItem, CartIdle, type CartMessage, Checkout, RemoveItem, ShowCart } from './cart.messages.js';
import { CartStore } from './cart.store.js';

type Context = ActorContext<CartMessage>;

/**
 * One cart. Its file is the source of truth: after a failure the supervisor restarts the actor, and the new instance
 * reads the file when the next message arrives. A restart never triggers another one, so restarts need no limit.
 */
@Actor({ mailbox: bounded(100), supervision: oneForOne({ maxRetries: Infinity }) })
export class CartActor {
  private cart?: Cart;

  constructor(
    private readonly store: CartStore,
    private readonly orders: Orders,
    private readonly config: ShopConfig,
  ) {}

  @OnSignal(PreStart)
  @OnSignal(PostRestart)
  begin(_signal: PreStart | PostRestart, ctx: Context): void {
    ctx.setReceiveTimeout(this.config.cartIdleMs);
  }

  /** Asks its parent to stop it. Only the parent knows whether another message is already queued. */
  @OnSignal(ReceiveTimeout)
  offerToLeave(_signal: ReceiveTimeout, ctx: Context): void {
    (ctx.parent as ActorRef<CartIdle>).tell(new CartIdle(ctx.name));
  }

  @Receive(ShowCart)
  async show(_message: ShowCart, ctx: Context): Promise<CartView> {
    return viewOf(ctx.name, await this.current(ctx));
  }

  @Receive(AddItem)
  async add({ line }: AddItem, ctx: Context): Promise<CartView | 'too-many'> {
    const cart = await this.current(ctx);
    if (quantityOf(cart, line.sku) + line.quantity > MOST_OF_ONE) return 'too-many';
    return this.keep(withLine(cart, line), ctx);
  }

  @Receive(RemoveItem)
  async remove({ sku }: RemoveItem, ctx: Context): Promise<CartView> {
    const cart = await this.current(ctx);
    return quantityOf(cart, sku) === 0 ? viewOf(ctx.name, cart) : this.keep(withoutLine(cart, sku), ctx);
  }

  @Receive(Checkout)
  async checkout(_message: Checkout, ctx: Context): Promise<'empty' | void> {
    // Reads the store instead of calling `current()`: after a crash, a retried checkout returns the order already
    // placed.
    const { orderId: id, lines } = this.cart ?? (await this.store.load(ctx.name));
    if (lines.length === 0) return 'empty';
    const placedAt = new Date().toISOString();
    const order = await this.orders.place({ id, cart: ctx.name, lines, totalCents: totalOf(lines), placedAt });
    // Replies first: the order is final even if emptying the cart fails.
    ctx.reply(order);
    await this.keep(emptyCart(), ctx);
  }

  /** Returns an empty cart if its order was already placed. A crash or a late reply may have prevented emptying it. */
  private async current(ctx: Context): Promise<Cart> {
    if (this.cart) return this.cart;
    const cart = await this.store.load(ctx.name);
    const wasOrdered = cart.lines.length > 0 && (await this.orders.find(cart.orderId)) !== null;
    return (this.cart = wasOrdered ? emptyCart() : cart);
  }

  private async keep(cart: Cart, ctx: Context): Promise<CartView> {
    await this.store.save(ctx.name, cart);
    this.cart = cart;
    return viewOf(ctx.name, cart);
  }
}
