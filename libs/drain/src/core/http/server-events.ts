import type { EventEmitter } from 'node:events';
import { overrideListeners } from '@roost/kernel';

// eslint-disable-next-line @typescript-eslint/no-explicit-any -- each event has its own arguments
type Listener<Args extends any[]> = (...args: Args) => void;

/**
 * Listens before all other listeners, but only while there are other listeners.
 *
 * @returns a function that stops listening
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
 * Listens before all other listeners. If there is exactly one other listener, a single function calls both, because two
 * listeners would make every request slower.
 *
 * @returns a function that stops listening
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
 * Replaces all listeners of the event with `gate`.
 *
 * @returns a function that passes an event to the replaced listeners, and returns false when there are none
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
    // Listeners added with `once` are wrapped.
    others = others.filter((listener) => !('listener' in listener));
    for (const listener of called) Reflect.apply(listener, server, args);
    return called.length > 0;
  };
}
