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
      `${declaredBy} relies on ${nameOf(target)}.${method}(), which is not there. The installed version of that package is ` +
        'probably not one that Roost supports: compare it with the peer dependencies of the Roost packages.',
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
 * @returns a function that puts the method back, unless it has been replaced again in the meantime
 * @throws MissingMethodError
 */
export function override<T extends object, K extends MethodName<T> & string>(
  target: T,
  method: K,
  declaredBy: string,
  wrap: (original: NonNullable<T[K]>) => NonNullable<T[K]>,
): () => void {
  const own = Object.getOwnPropertyDescriptor(target, method);
  const inherited = Object.getPrototypeOf(target) as T;
  const original = (own && 'value' in own ? own.value : inherited[method]) as NonNullable<T[K]>;
  if (typeof original !== 'function') throw new MissingMethodError(method, declaredBy, target);
  const replacement = wrap(original);
  Object.defineProperty(target, method, { value: replacement, configurable: true, writable: true, enumerable: false });
  return () => {
    if (Object.getOwnPropertyDescriptor(target, method)?.value !== replacement) return;
    if (own) Object.defineProperty(target, method, own);
    else Reflect.deleteProperty(target, method);
  };
}
