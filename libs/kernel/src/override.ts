import type { EventEmitter } from 'node:events';
import { textOf } from './error-text.js';
import { RoostError } from './error.js';

// Any method. Its arguments are checked by the type that declares it.
type AnyMethod = (...args: never[]) => unknown;

/** Names of the methods of `T`, including optional ones. */
type MethodName<T> = {
  [K in keyof T]-?: NonNullable<T[K]> extends AnyMethod ? K : never;
}[keyof T];

/** A method of Nest, Node or another package that Roost relies on does not exist. @publicApi */
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
 * Replaces a method of an object that belongs to Nest, Node or another package. All of Roost uses this function for
 * that, so that a version without the method fails with a clear error at once, and not at the first shutdown.
 *
 * `wrap` gets the original method, unbound, and returns the replacement. Methods are read from the object or its class
 * and set with `defineProperty`, because Nest applications are proxies that drop assignments.
 *
 * @example
 * ```ts
 * import { createServer } from 'node:http';
 * import { override } from '@roost/kernel';
 *
 * const server = createServer();
 * const restore = override(server, 'close', 'AuditModule', (close) => (callback) => {
 *   console.log('closing the server');
 *   return close.call(server, callback);
 * });
 * restore();
 * ```
 *
 * @param declaredBy the part of Roost that needs the method
 * @param options.fallback used if the object may lack the method, such as a lifecycle hook
 * @returns a function that restores the method, unless it has been replaced again since
 * @throws MissingMethodError if the object lacks the method and there is no `fallback`
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

/**
 * Does not use `target[method]`: a Nest application returns a wrapper for it, which looks up the method only when
 * called.
 */
function methodOf(target: object, method: string, own: PropertyDescriptor | undefined): unknown {
  if (own) return own.get ? own.get.call(target) : own.value;
  const inherited = Object.getPrototypeOf(target) as object | null;
  return inherited && Reflect.get(inherited, method, target);
}

/** A listener with the arguments of its event. */
type Listener<Args extends unknown[]> = (...args: Args) => void;

/**
 * Replaces all current listeners of an event with one. `wrap` gets them in order, to be called with the emitter as
 * `this`, and returns the replacement. A listener added with `once` still runs only once. Listeners added later are
 * called as usual, after the replacement.
 *
 * @returns a function that restores the listeners, unless the replacement has been removed since
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
