import type { Observable } from 'rxjs';
import { Fifo } from './fifo.js';
import type { Sink } from './sink.js';

/**
 * Subscribes to the source and queues items until there is room. Settles when the source ends, even if items are still
 * queued.
 */
export function pushFrom<T>(source: Observable<T>, sink: Sink<T>): Promise<void> {
  return new Promise((resolve, reject) => {
    const waiting = new Fifo<T>();
    let isDraining = false;
    const drain = (): void => {
      // A handler that finishes synchronously, or emits itself, reenters this function.
      if (isDraining) return;
      isDraining = true;
      while (waiting.size > 0 && sink.hasRoom) sink.take(waiting.shift());
      isDraining = false;
    };
    const fail = (error: Error): void => reject(error);
    sink.onRoom = drain;
    const subscription = source.subscribe({
      next: (item) => {
        if (sink.isEnding) return;
        waiting.push(item);
        drain();
      },
      error: fail,
      complete: resolve,
    });
    sink.onEnding(() => {
      try {
        subscription.unsubscribe();
        resolve();
      } catch (error) {
        fail(error as Error);
      }
    });
  });
}
