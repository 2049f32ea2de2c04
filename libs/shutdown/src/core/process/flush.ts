import type { FlushableStream } from './process-like.js';

/** A reader that takes nothing for this long is taken for stuck. */
const STALLED_MS = 1_000;
/** A reader that takes something, but slowly, is waited for no longer than this. */
const LIMIT_MS = 10_000;

/**
 * Waits until what was written has left the process: `process.exit` drops what a full pipe has not taken yet.
 * Gives up when nobody reads.
 */
export async function flush(streams: readonly FlushableStream[]): Promise<void> {
  const waiting = streams.filter((stream) => !stream.destroyed && stream.writableLength > 0);
  await Promise.all(waiting.map(drained));
}

const drained = (stream: FlushableStream): Promise<void> =>
  new Promise((resolve) => {
    let seen = fill(stream);
    let waitedMs = 0;
    const timer = setInterval(() => {
      const before = seen;
      seen = fill(stream);
      waitedMs += STALLED_MS;
      if (seen === before || waitedMs >= LIMIT_MS) done();
    }, STALLED_MS);
    const done = (): void => {
      clearInterval(timer);
      resolve();
    };
    // Writes keep their order, so an empty one is done when all before it are.
    stream.write('', done);
  });

/** Changes whenever the reader takes something. Node counts a chunk until all of it is gone; the handle knows better. */
const fill = (stream: FlushableStream): string => `${stream.writableLength} ${stream._handle?.writeQueueSize}`;
