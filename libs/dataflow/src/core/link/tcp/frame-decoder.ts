import { MalformedFrameError } from '../errors/malformed-frame.error.js';
import { OversizedFrameError } from '../errors/oversized-frame.error.js';

/** A frame on a stream begins with its length, u32 little-endian. */
export const LENGTH_BYTES = 4;

/**
 * Splits a stream of chunks into frames. A frame within one chunk is a view of that chunk. A frame that spans several
 * chunks is copied once, into a buffer of its exact length.
 */
export class FrameDecoder {
  /** Maximum length of a frame in bytes. May be changed between two frames. */
  limit: number;
  readonly #length = Buffer.alloc(LENGTH_BYTES);
  #lengthBytes = 0;
  #frame: Buffer | undefined;
  #frameBytes = 0;
  #isStopped = false;

  constructor(
    limit: number,
    private readonly onFrame: (frame: Buffer) => void,
    /** Name of the sender, for errors. */
    private readonly sender: () => string,
  ) {
    this.limit = limit;
  }

  /**
   * Decodes a chunk.
   *
   * @throws MalformedFrameError, OversizedFrameError. After that, the next frame cannot be found.
   */
  push(chunk: Buffer): void {
    let at = 0;
    while (at < chunk.length && !this.#isStopped) {
      at = this.#frame ? this.#fillFrame(this.#frame, chunk, at) : this.#begin(chunk, at);
    }
  }

  /** Stops decoding at once, even within the current chunk. */
  stop(): void {
    this.#isStopped = true;
  }

  /** Reads the length, and the frame if it is complete. @returns the position after it */
  #begin(chunk: Buffer, at: number): number {
    if (this.#lengthBytes > 0 || chunk.length - at < LENGTH_BYTES) return this.#fillLength(chunk, at);
    const length = this.#checked(chunk.readUInt32LE(at));
    const start = at + LENGTH_BYTES;
    if (chunk.length - start < length) {
      this.#expect(length);
      return start;
    }
    this.onFrame(chunk.subarray(start, start + length));
    return start + length;
  }

  #fillLength(chunk: Buffer, at: number): number {
    const taken = chunk.copy(this.#length, this.#lengthBytes, at);
    this.#lengthBytes += taken;
    if (this.#lengthBytes === LENGTH_BYTES) {
      this.#lengthBytes = 0;
      this.#expect(this.#checked(this.#length.readUInt32LE()));
    }
    return at + taken;
  }

  #expect(length: number): void {
    // Not from the pool of small buffers, because a retained frame would retain the whole pool.
    this.#frame = Buffer.allocUnsafeSlow(length);
    this.#frameBytes = 0;
  }

  #fillFrame(frame: Buffer, chunk: Buffer, at: number): number {
    const taken = chunk.copy(frame, this.#frameBytes, at);
    this.#frameBytes += taken;
    if (this.#frameBytes === frame.length) {
      this.#frame = undefined;
      this.onFrame(frame);
    }
    return at + taken;
  }

  #checked(length: number): number {
    if (length > this.limit) throw new OversizedFrameError(this.sender(), length, this.limit);
    if (length === 0) throw new MalformedFrameError(this.sender(), 'its length is 0');
    return length;
  }
}
