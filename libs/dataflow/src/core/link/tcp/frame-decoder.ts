import { MalformedFrameError } from '../errors/malformed-frame.error.js';
import { OversizedFrameError } from '../errors/oversized-frame.error.js';

/** A frame on a stream begins with its length, u32 little-endian. */
export const LENGTH_BYTES = 4;

/**
 * Finds the frames in a stream of chunks. A frame that lies within a chunk is a view of it; only one that is spread over
 * several is copied, once, into memory of its length.
 */
export class FrameDecoder {
  /** The longest frame that is taken. It may be changed between two frames. */
  limit: number;
  readonly #length = Buffer.alloc(LENGTH_BYTES);
  #lengthBytes = 0;
  #frame: Buffer | undefined;
  #frameBytes = 0;
  #isStopped = false;

  constructor(
    limit: number,
    private readonly onFrame: (frame: Buffer) => void,
    /** Who sends, for errors. */
    private readonly sender: () => string,
  ) {
    this.limit = limit;
  }

  /** @throws MalformedFrameError, OversizedFrameError: then there is no way to find the next frame */
  push(chunk: Buffer): void {
    let at = 0;
    while (at < chunk.length && !this.#isStopped) {
      at = this.#frame ? this.#fillFrame(this.#frame, chunk, at) : this.#begin(chunk, at);
    }
  }

  /** No frame comes after this, not even from the chunk at hand. */
  stop(): void {
    this.#isStopped = true;
  }

  /** Reads the length, and the frame too if it is all there. @returns where to go on */
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
    // Not from the pool of small buffers, which a frame that is kept would keep too.
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
