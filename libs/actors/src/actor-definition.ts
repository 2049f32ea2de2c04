import { type ActorClass, type ActorContext, type ActorOptions, Behavior, Props } from './core/index.js';
import { InvalidActorOptionError } from './core/index.js';
import { readActorOptions } from './decorators/actor.decorator.js';
import { readSignals } from './decorators/on-signal.decorator.js';
import { readReceived } from './decorators/receive.decorator.js';
import { DuplicateHandlerError } from './errors/duplicate-handler.error.js';
import { NotAnActorClassError } from './errors/not-an-actor-class.error.js';

export type HandlerMethod = (this: object, what: unknown, ctx: ActorContext) => unknown;

type AnyClass = abstract new (...args: never[]) => unknown;

/** Handlers by the class of the message or signal that they handle. */
export type HandlerTable = ReadonlyMap<AnyClass, HandlerMethod>;

/** The settings of an actor class, read from its decorators. */
export interface ActorDefinition {
  readonly type: ActorClass;
  readonly name: string;
  readonly spawn: 'bootstrap' | 'demand';
  readonly options: ActorOptions;
  readonly messages: HandlerTable;
  readonly signals: HandlerTable;
}

/** @throws NotAnActorClassError, DuplicateHandlerError, InvalidActorOptionError */
export function readActorDefinition(type: ActorClass, where: string): ActorDefinition {
  const given = typeof type === 'function' ? readActorOptions(type) : undefined;
  if (!given) throw new NotAnActorClassError(where, type);
  const { name = defaultName(type), spawn = 'demand', ...options } = given;
  if (spawn !== 'demand' && spawn !== 'bootstrap') {
    throw new InvalidActorOptionError(`spawn of ${type.name}`, spawn, "'bootstrap' or 'demand'");
  }
  // Validates the options at boot instead of at the first spawn.
  Props.of(
    Behavior.receive(() => undefined),
    options,
  );
  const prototype = type.prototype as object;
  return {
    type,
    name,
    spawn,
    options,
    messages: handlersOf(type.name, prototype, readReceived),
    signals: handlersOf(type.name, prototype, readSignals),
  };
}

/** Turns `CartActor` into `cart` and `OrderBookActor` into `order-book`. */
const defaultName = ({ name }: ActorClass): string =>
  name
    .replace(/(?<=.)Actor$/, '')
    .replace(/([a-z0-9])([A-Z])/g, '$1-$2')
    .toLowerCase();

/** Collects the handlers of own and inherited methods. An override hides the method it overrides. */
function handlersOf(actor: string, prototype: object, read: (method: object) => readonly AnyClass[]): HandlerTable {
  const seen = new Set<string | symbol>();
  const found = new Map<AnyClass, { key: string | symbol; method: HandlerMethod }>();
  for (let level = prototype; level !== Object.prototype; level = Object.getPrototypeOf(level) as object) {
    for (const key of Reflect.ownKeys(level)) {
      const method: unknown = Object.getOwnPropertyDescriptor(level, key)?.value;
      if (seen.has(key) || typeof method !== 'function') continue;
      seen.add(key);
      for (const handled of read(method)) {
        const other = found.get(handled);
        if (other) throw new DuplicateHandlerError(actor, handled.name, [String(other.key), String(key)]);
        found.set(handled, { key, method: method as HandlerMethod });
      }
    }
  }
  return new Map([...found].map(([handled, { method }]) => [handled, method]));
}
