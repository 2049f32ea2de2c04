import type { FlushableStream } from './process-like.js';

/** A reader that consumes nothing for this long counts as stuck. */
const STALLED_MS = 1_000;
/** Longest wait for a reader that makes progress, but slowly. */
const LIMIT_MS = 10_000;

/**
 * Waits until all output has left the process, because `process.exit` drops data that a full pipe has not accepted.
 * Gives up if the reader is stuck.
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
    // Writes complete in order, so an empty write completes after all earlier ones.
    stream.write('', done);
  });

/**
 * Changes whenever the reader consumes data. Node counts a chunk in full until all of it is written; the handle is
 * exact.
 */
const fill = (stream: FlushableStream): string => `${stream.writableLength} ${stream._handle?.writeQueueSize}`;
