/**
 * A decorated actor class. The system option `propsOfClass` makes it spawnable; `ActorSystemModule` sets that option.
 * @publicApi
 */
export type ActorClass = abstract new (...args: never[]) => object;
