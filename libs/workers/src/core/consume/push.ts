import type { Subscribable } from 'rxjs';
import { Fifo } from './fifo.js';
import type { Sink } from './sink.js';

/** Takes what is emitted, and keeps it until there is room. Settles when nothing of it is left to be begun. */
export function pushFrom<T>(source: Subscribable<T>, sink: Sink<T>): Promise<void> {
  return new Promise((resolve, reject) => {
    const waiting = new Fifo<T>();
    let settle: (() => void) | undefined;
    let isDraining = false;
    const drain = (): void => {
      // A handler that ends at once, or emits by itself, gets here again.
      if (isDraining) return;
      isDraining = true;
      while (waiting.size > 0 && sink.hasRoom) sink.take(waiting.shift());
      isDraining = false;
      if (waiting.size === 0) settle?.();
    };
    const end = (how: () => void): void => {
      settle ??= how;
      drain();
    };
    const fail = (error: Error): void => end(() => reject(error));
    sink.onRoom = drain;
    const subscription = source.subscribe({
      next: (item) => {
        if (settle || sink.isEnding) return;
        waiting.push(item);
        drain();
      },
      error: fail,
      complete: () => end(resolve),
    });
    sink.onEnding(() => {
      try {
        subscription.unsubscribe();
        end(resolve);
      } catch (error) {
        fail(error as Error);
      }
    });
  });
}
