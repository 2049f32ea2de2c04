import type { HandlerMethod, HandlerTable } from './actor-definition.js';
import { type ActorContext, Behavior, type BehaviorResult } from './core/index.js';

/** Calls a handler on an instance. One closure per handler is faster than a shared `call` site for all methods. */
type Invoke = (instance: object, what: unknown, ctx: ActorContext) => unknown;

const invokeOf =
  (method: HandlerMethod): Invoke =>
  (instance, what, ctx) =>
    method.call(instance, what, ctx);

/** Up to this many classes, a linear scan is faster than a Map. */
const MOST_TRIED = 8;

/** Finds the handler for a message or signal by its class or base classes. Shared by all actors of a class. */
export class Dispatch {
  private readonly types: readonly unknown[];
  private readonly invokes: readonly Invoke[];
  private readonly byPrototype: ReadonlyMap<object, Invoke>;
  /** Lookup results for subclasses. Weak, because a prototype may exist for a single message only. */
  private readonly memo = new WeakMap<object, Invoke | null>();

  constructor(table: HandlerTable) {
    const entries = [...table].map(([type, method]) => ({ type, invoke: invokeOf(method) }));
    this.types = entries.map(({ type }) => type).slice(0, MOST_TRIED);
    this.invokes = entries.map(({ invoke }) => invoke).slice(0, MOST_TRIED);
    this.byPrototype = new Map(entries.map(({ type, invoke }) => [type.prototype as object, invoke]));
  }

  get isEmpty(): boolean {
    return this.types.length === 0;
  }

  find(message: unknown): Invoke | null {
    const { types } = this;
    const type = (message as { constructor?: unknown } | null | undefined)?.constructor;
    for (let i = 0; i < types.length; i++) if (types[i] === type) return this.invokes[i]!;
    return message === undefined || message === null
      ? null
      : this.findBy(Object.getPrototypeOf(message) as object | null);
  }

  private findBy(prototype: object | null): Invoke | null {
    if (prototype === null) return null;
    const known = this.byPrototype.get(prototype) ?? this.memo.get(prototype);
    if (known !== undefined) return known;
    const inherited = this.findBy(Object.getPrototypeOf(prototype) as object | null);
    this.memo.set(prototype, inherited);
    return inherited;
  }
}

/**
 * Returns the behavior of one instance of an actor class. `Props.replying` interprets the return values of its methods.
 */
export function classBehavior(instance: object, messages: Dispatch, signals: Dispatch): Behavior<unknown> {
  const behavior = Behavior.receive<unknown>(handlerOf(instance, messages));
  return signals.isEmpty ? behavior : behavior.onSignal(handlerOf(instance, signals));
}

const handlerOf = (instance: object, dispatch: Dispatch) => (ctx: ActorContext, what: unknown) => {
  const invoke = dispatch.find(what);
  return invoke === null ? Behavior.unhandled<unknown>() : (invoke(instance, what, ctx) as BehaviorResult<unknown>);
};
