import { setImmediate as turnOfTheLoop } from 'node:timers/promises';
import type { Sink } from './sink.js';

/** Items between two turns of the event loop: a source that never waits would otherwise starve it, signals included. */
const ITEMS_PER_TURN = 32;

/** Asks for items one by one, while there is room, until the source ends or no further item is wanted. */
export async function pullFrom<T>(source: AsyncIterable<T> | Iterable<T>, sink: Sink<T>): Promise<void> {
  const isAsync = isAsyncIterable(source);
  const iterator = isAsync ? source[Symbol.asyncIterator]() : source[Symbol.iterator]();
  let hasEnded = false;
  let closing: Promise<unknown> | undefined;
  const close = (): void => {
    if (hasEnded || closing) return;
    closing = returnOf(iterator);
    closing.catch(() => undefined);
  };
  // It may be blocked in next(). Only asynchronous ones can: others must not be closed from within their own next().
  if (isAsync) sink.onEnding(close);
  try {
    for (let taken = 1; !sink.isEnding; taken++) {
      if (!sink.hasRoom) {
        await new Promise<void>((resolve) => (sink.onRoom = resolve));
        continue;
      }
      const result = await iterator.next();
      if (result.done) {
        hasEnded = true;
        break;
      }
      sink.take(result.value);
      if (taken % ITEMS_PER_TURN === 0) await turnOfTheLoop();
    }
  } catch (error) {
    hasEnded = true;
    await closing?.catch(() => undefined);
    throw error;
  }
  close();
  await closing;
}

/** `Object()` because `in` throws on strings. */
const isAsyncIterable = <T>(source: AsyncIterable<T> | Iterable<T>): source is AsyncIterable<T> =>
  Symbol.asyncIterator in Object(source);

const returnOf = async (iterator: AsyncIterator<unknown> | Iterator<unknown>): Promise<unknown> => iterator.return?.();
