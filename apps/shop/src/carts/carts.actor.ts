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

/** One child per cart, made when it is first needed, gone when nobody has asked for it for a while. */
@Actor({ mailbox: bounded(1_000), supervision: oneForOne({ decide: [[StashFullError, Directive.Resume]] }) })
export class CartsActor {
  /** Have been told to stop, and have not ended. */
  private readonly leaving = new Set<string>();

  @Receive(CartMessage)
  route(message: CartMessage, ctx: Context): void {
    // A cart that is ending takes no more messages, and its name is not free yet: wait for its end.
    if (this.leaving.has(message.cart)) return ctx.stash();
    ctx.forward(ctx.child(message.cart) ?? this.open(message.cart, ctx), message);
  }

  @Receive(CartIdle)
  passivate({ idle }: CartIdle, ctx: Context): void {
    const cart = ctx.child(idle);
    if (!cart) return;
    this.leaving.add(idle);
    // What was handed on before is still handled.
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
