import { setImmediate as turnOfTheLoop } from 'node:timers/promises';
import type { Sink } from './sink.js';

/**
 * Number of items between two turns of the event loop. A source that never waits would otherwise block it, including
 * signals.
 */
const ITEMS_PER_TURN = 32;

/** Requests items one by one while there is room, until the source ends or the sink is ending. */
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
  // The source may be blocked in next(). Only async sources can be; a sync one must not be closed from inside its own
  // next().
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

/** Uses `Object()` because `in` throws on strings. */
const isAsyncIterable = <T>(source: AsyncIterable<T> | Iterable<T>): source is AsyncIterable<T> =>
  Symbol.asyncIterator in Object(source);

const returnOf = async (iterator: AsyncIterator<unknown> | Iterator<unknown>): Promise<unknown> => iterator.return?.();
