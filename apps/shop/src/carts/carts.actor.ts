import {
  Actor,
  type ActorContext,
  type ActorRef,
  bounded,
  Directive,
  oneForOne,
  OnSignal,
  Receive,
  StashFullError,
  Terminated,
} from '@roost/actors';
import { CartActor } from './cart.actor.js';
import { CartIdle, CartMessage } from './cart.messages.js';

type Context = ActorContext<CartMessage | CartIdle>;

/** Parent of all carts: spawns a child on first use and stops it after it has been idle for a while. */
@Actor({ mailbox: bounded(1_000), supervision: oneForOne({ decide: [[StashFullError, Directive.Resume]] }) })
export class CartsActor {
  /** Names of carts that are stopping. */
  private readonly leaving = new Set<string>();

  @Receive(CartMessage)
  route(message: CartMessage, ctx: Context): void {
    // A stopping cart accepts no messages, and its name stays taken until it has stopped.
    if (this.leaving.has(message.cart)) return ctx.stash();
    ctx.forward(ctx.child(message.cart) ?? this.open(message.cart, ctx), message);
  }

  @Receive(CartIdle)
  passivate({ idle }: CartIdle, ctx: Context): void {
    const cart = ctx.child(idle);
    if (!cart) return;
    this.leaving.add(idle);
    // The cart still handles the messages that were forwarded to it before.
    ctx.stop(cart);
  }

  @OnSignal(Terminated)
  ended({ ref }: Terminated, ctx: Context): void {
    this.leaving.delete(ref.name);
    ctx.unstashAll();
  }

  private open(name: string, ctx: Context): ActorRef<CartMessage> {
    const cart = ctx.spawn<CartMessage>(CartActor, name);
    ctx.watch(cart);
    return cart;
  }
}
