import type { EventEmitter } from 'node:events';
import { overrideListeners } from '@roost/kernel';

// eslint-disable-next-line @typescript-eslint/no-explicit-any -- each event has arguments of its own
type Listener<Args extends any[]> = (...args: Args) => void;

/**
 * Listens in front of the others, for as long as there are any.
 *
 * @returns a function that ends it
 */
// eslint-disable-next-line @typescript-eslint/no-explicit-any
export function joinOthers<Args extends any[]>(
  server: EventEmitter,
  event: string,
  listener: Listener<Args>,
): () => void {
  const own = listener as Listener<unknown[]>;
  let joined = false;
  const join = (): void => {
    joined = true;
    server.prependListener(event, own);
  };
  const onAdded = (added: string | symbol): void => {
    if (added === event && !joined) join();
  };
  const onRemoved = (removed: string | symbol, gone: unknown): void => {
    if (removed !== event || !joined) return;
    if (gone === own) joined = false;
    else if (server.listenerCount(event) === 1) server.off(event, own);
  };
  if (server.listenerCount(event) > 0) join();
  server.on('newListener', onAdded).on('removeListener', onRemoved);
  return () => {
    server.off('newListener', onAdded).off('removeListener', onRemoved).off(event, own);
  };
}

/**
 * Listens in front of the others. A single other listener is called by the same function, because two listeners cost every
 * request more.
 *
 * @returns a function that ends it
 */
export function goFirst<A, B>(server: EventEmitter, event: string, listener: (a: A, b: B) => void): () => void {
  if (server.listenerCount(event) !== 1) {
    server.prependListener(event, listener);
    return () => void server.off(event, listener);
  }
  return overrideListeners<[A, B]>(server, event, ([other]) => (a, b) => {
    listener(a, b);
    other!.call(server, a, b);
  });
}

/**
 * Puts `gate` in the place of all listeners of the event.
 *
 * @returns a function that hands an event on to them; false when there are none
 */
// eslint-disable-next-line @typescript-eslint/no-explicit-any
export function takeOver<Args extends any[]>(
  server: EventEmitter,
  event: string,
  gate: Listener<Args>,
): (...args: Args) => boolean {
  let others: readonly Listener<Args>[] = [];
  overrideListeners<Args>(server, event, (originals) => {
    others = originals;
    return gate;
  });
  return (...args) => {
    const called = others;
    // A listener of `once` is wrapped.
    others = others.filter((listener) => !('listener' in listener));
    for (const listener of called) Reflect.apply(listener, server, args);
    return called.length > 0;
  };
}
