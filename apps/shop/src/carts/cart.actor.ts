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
 * One cart. What is in its file is the truth: when anything fails, the supervisor puts a fresh instance in its place, which
 * reads the file at the next message. That cannot loop by itself, so the number of restarts needs no limit.
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

  /** It does not end by itself: only the parent knows whether a message is on its way. */
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
    // Not `current()`: if it was ordered before a crash, whoever asks again gets that order.
    const { orderId: id, lines } = this.cart ?? (await this.store.load(ctx.name));
    if (lines.length === 0) return 'empty';
    const placedAt = new Date().toISOString();
    const order = await this.orders.place({ id, cart: ctx.name, lines, totalCents: totalOf(lines), placedAt });
    // The order stands, whatever becomes of the cart. So the answer goes out first.
    ctx.reply(order);
    await this.keep(emptyCart(), ctx);
  }

  /** A crash, or a reply that took too long, may have come between the order and the emptying of the cart. */
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
