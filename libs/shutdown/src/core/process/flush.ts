import type { FlushableStream } from './process-like.js';

/**
 * Waits until what was written has left the process: `process.exit` drops what a full pipe has not taken yet.
 * Gives up after `limitMs`, since the reader may be stuck for ever.
 */
export async function flush(streams: readonly FlushableStream[], limitMs: number): Promise<void> {
  const waiting = streams.filter((stream) => !stream.destroyed && stream.writableLength > 0);
  if (waiting.length === 0) return;
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<void>((resolve) => (timer = setTimeout(resolve, limitMs)));
  await Promise.race([limit, Promise.all(waiting.map(drained))]);
  clearTimeout(timer);
}

/** Writes keep their order, so an empty one is done when all before it are. */
const drained = (stream: FlushableStream): Promise<void> =>
  new Promise((resolve) => {
    stream.write('', () => resolve());
  });
