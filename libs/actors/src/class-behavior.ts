import type { HandlerMethod, HandlerTable } from './actor-definition.js';
import { type ActorContext, Behavior, type BehaviorResult } from './core/index.js';

/** Of so many classes the handlers are tried one after the other, which is quicker than a map. */
const MOST_TRIED = 8;

/** Finds handlers by the class of what is to be handled, and by its base classes. Shared by all actors of a class. */
export class Dispatch {
  private readonly types: readonly unknown[];
  private readonly methods: readonly HandlerMethod[];
  private readonly byPrototype: ReadonlyMap<object, HandlerMethod>;
  /** What was found for subclasses. Weak: a prototype may have been made for one message. */
  private readonly memo = new WeakMap<object, HandlerMethod | null>();

  constructor(table: HandlerTable) {
    this.types = [...table.keys()].slice(0, MOST_TRIED);
    this.methods = [...table.values()].slice(0, MOST_TRIED);
    this.byPrototype = new Map([...table].map(([type, method]) => [type.prototype as object, method]));
  }

  get isEmpty(): boolean {
    return this.types.length === 0;
  }

  find(message: unknown): HandlerMethod | null {
    const { types } = this;
    const type = (message as { constructor?: unknown } | null | undefined)?.constructor;
    for (let i = 0; i < types.length; i++) if (types[i] === type) return this.methods[i]!;
    return message === undefined || message === null
      ? null
      : this.findBy(Object.getPrototypeOf(message) as object | null);
  }

  private findBy(prototype: object | null): HandlerMethod | null {
    if (prototype === null) return null;
    const known = this.byPrototype.get(prototype) ?? this.memo.get(prototype);
    if (known !== undefined) return known;
    const inherited = this.findBy(Object.getPrototypeOf(prototype) as object | null);
    this.memo.set(prototype, inherited);
    return inherited;
  }
}

/** The behavior of one instance of an actor class. What its methods return is left to `Props.replying`. */
export function classBehavior(instance: object, messages: Dispatch, signals: Dispatch): Behavior<unknown> {
  const call = (dispatch: Dispatch) => (ctx: ActorContext, what: unknown) => {
    const method = dispatch.find(what);
    if (method === null) return Behavior.unhandled<unknown>();
    return method.call(instance, what, ctx) as BehaviorResult<unknown>;
  };
  const behavior = Behavior.receive<unknown>(call(messages));
  return signals.isEmpty ? behavior : behavior.onSignal(call(signals));
}
