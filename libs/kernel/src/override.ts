import type { EventEmitter } from 'node:events';
import { textOf } from './error-text.js';
import { RoostError } from './error.js';

// Any method: which arguments it takes is the business of the type that has it.
type AnyMethod = (...args: never[]) => unknown;

/** The names of the methods of `T`, optional ones included. */
type MethodName<T> = {
  [K in keyof T]-?: NonNullable<T[K]> extends AnyMethod ? K : never;
}[keyof T];

/** A method of Nest, Node or another package that Roost relies on is not there. @publicApi */
export class MissingMethodError extends RoostError {
  constructor(
    readonly method: string,
    readonly declaredBy: string,
    target: object,
  ) {
    super(
      'KERNEL_MISSING_METHOD',
      `${declaredBy} needs ${nameOf(target)}.${method}(), which does not exist. Roost probably does not support the installed ` +
        'version of that package: compare it with the peer dependencies of the Roost packages.',
    );
  }
}

const nameOf = (target: object): string => {
  const { constructor } = target as { constructor?: { name?: unknown } };
  return textOf((typeof target === 'function' ? (target as { name?: string }).name : constructor?.name) || 'an object');
};

/**
 * Replaces a method of an object that belongs to Nest, Node or another package. Every such place of the suite goes through
 * here, so that a version without the method fails with an error that says so, and not at the first shutdown.
 *
 * `wrap` gets the method as it was, unbound, and returns what takes its place. Methods are read from the object or its
 * class and set with `defineProperty`, because Nest applications are proxies that drop assignments.
 *
 * @param declaredBy the part of Roost that needs the method
 * @param options.fallback stands in for a method that the object may lack, such as a lifecycle hook
 * @returns a function that puts the method back, unless it has been replaced again in the meantime
 * @throws MissingMethodError when the object lacks the method and there is no `fallback`
 */
export function override<T extends object, K extends MethodName<T> & string>(
  target: T,
  method: K,
  declaredBy: string,
  wrap: (original: NonNullable<T[K]>) => NonNullable<T[K]>,
  options: { fallback?: NonNullable<T[K]> } = {},
): () => void {
  const own = Object.getOwnPropertyDescriptor(target, method);
  const original = (methodOf(target, method, own) ?? options.fallback) as NonNullable<T[K]>;
  if (typeof original !== 'function') throw new MissingMethodError(method, declaredBy, target);
  const replacement = wrap(original);
  Object.defineProperty(target, method, { value: replacement, configurable: true, writable: true, enumerable: false });
  return () => {
    if (Object.getOwnPropertyDescriptor(target, method)?.value !== replacement) return;
    if (own) Object.defineProperty(target, method, own);
    else Reflect.deleteProperty(target, method);
  };
}

/** Not by `target[method]`: a Nest application answers that with a wrapper, which calls what the object has by then. */
function methodOf(target: object, method: string, own: PropertyDescriptor | undefined): unknown {
  if (own) return own.get ? own.get.call(target) : own.value;
  const inherited = Object.getPrototypeOf(target) as object | null;
  return inherited && Reflect.get(inherited, method, target);
}

/** A listener of any event, which knows its arguments itself. */
type Listener<Args extends unknown[]> = (...args: Args) => void;

/**
 * Replaces all listeners that an event has now by one. `wrap` gets them in their order, to be called with the emitter as
 * `this`, and returns the listener that takes their place. One that was added by `once` still runs only once. Listeners that
 * are added later are called as usual, after the replacement.
 *
 * @returns a function that puts the listeners back, unless the replacement has been removed in the meantime
 */
export function overrideListeners<Args extends unknown[]>(
  emitter: EventEmitter,
  event: string,
  wrap: (originals: readonly Listener<Args>[]) => Listener<Args>,
): () => void {
  const originals = emitter.rawListeners(event) as Listener<Args>[];
  const replacement = wrap(originals) as (...args: unknown[]) => void;
  emitter.removeAllListeners(event);
  emitter.prependListener(event, replacement);
  return () => {
    if (!emitter.rawListeners(event).includes(replacement)) return;
    emitter.off(event, replacement);
    for (const original of originals.toReversed()) emitter.prependListener(event, original as typeof replacement);
  };
}
