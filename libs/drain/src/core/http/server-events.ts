import type { EventEmitter } from 'node:events';

// eslint-disable-next-line @typescript-eslint/no-explicit-any -- each event has arguments of its own
type Listener<Args extends any[]> = (...args: Args) => void;

/**
 * Listens in front of the others, for as long as there are any.
 *
 * @returns what ends it
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
 * Listens in front of the others. Where there is one other, it is called by the same function: two listeners would cost
 * every request more.
 *
 * @returns what ends it
 */
export function goFirst<A, B>(server: EventEmitter, event: string, listener: (a: A, b: B) => void): () => void {
  const [other, ...more] = server.rawListeners(event);
  const replaces = other !== undefined && more.length === 0;
  const own = replaces
    ? (a: A, b: B): void => {
        listener(a, b);
        other.call(server, a, b);
      }
    : listener;
  if (replaces) server.off(event, other as Listener<unknown[]>);
  server.prependListener(event, own as Listener<unknown[]>);
  return () => {
    if (!server.rawListeners(event).includes(own)) return;
    server.off(event, own as Listener<unknown[]>);
    if (replaces) server.prependListener(event, other as Listener<unknown[]>);
  };
}

/**
 * Stands in for everybody who listens to the event.
 *
 * @returns what hands an event on to them; false when there is nobody
 */
// eslint-disable-next-line @typescript-eslint/no-explicit-any
export function takeOver<Args extends any[]>(
  server: EventEmitter,
  event: string,
  gate: Listener<Args>,
): (...args: Args) => boolean {
  let others = server.rawListeners(event);
  server.removeAllListeners(event);
  server.on(event, gate as Listener<unknown[]>);
  return (...args) => {
    const called = others;
    // A listener of `once` is wrapped.
    others = others.filter((listener) => !('listener' in listener));
    for (const listener of called) Reflect.apply(listener, server, args);
    return called.length > 0;
  };
}
