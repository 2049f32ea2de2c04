/** Number of acknowledged frames at which the array is compacted, if they make up at least half of it. */
const COMPACT_AT = 1_024;

/**
 * Frames that the peer has not acknowledged, numbered from 1. Frames before `next` are in flight. Holds the bytes
 * themselves, not copies.
 */
export class SendBuffer {
  /** Number of the first frame that is not acknowledged. */
  oldest = 1;
  /** Number of the first frame that is not in flight. */
  next = 1;
  bytes = 0;
  bytesUnderWay = 0;
  #frames: (Uint8Array | undefined)[] = [];
  #head = 0;

  get size(): number {
    return this.#frames.length - this.#head;
  }

  /** Number of the last frame. `oldest - 1` if all frames are acknowledged. */
  get newest(): number {
    return this.oldest + this.size - 1;
  }

  push(frame: Uint8Array): void {
    this.#frames.push(frame);
    this.bytes += frame.length;
  }

  /** Returns the next frame to send, if any. */
  peek(): Uint8Array | undefined {
    return this.#frames[this.#head + this.next - this.oldest];
  }

  /** Marks the frame returned by `peek` as in flight. */
  advance(): void {
    this.bytesUnderWay += this.peek()!.length;
    this.next++;
  }

  /** Marks all frames as not in flight. */
  rewind(): void {
    this.next = this.oldest;
    this.bytesUnderWay = 0;
  }

  /** Drops the frames up to this number, which must not exceed `newest`. */
  acknowledge(seq: number): void {
    while (this.oldest <= seq) {
      const { length } = this.#frames[this.#head]!;
      // Releases the bytes before the array is compacted.
      this.#frames[this.#head++] = undefined;
      this.bytes -= length;
      // A frame can be acknowledged before it is sent again.
      if (this.oldest < this.next) this.bytesUnderWay -= length;
      this.oldest++;
    }
    if (this.next < this.oldest) this.next = this.oldest;
    if (this.#head < COMPACT_AT || this.#head * 2 < this.#frames.length) return;
    this.#frames = this.#frames.slice(this.#head);
    this.#head = 0;
  }

  /** Resets the buffer. @returns the frames that were not acknowledged, in order */
  clear(): Uint8Array[] {
    const rest = this.#frames.slice(this.#head) as Uint8Array[];
    this.#frames = [];
    this.#head = 0;
    this.oldest = this.next = 1;
    this.bytes = this.bytesUnderWay = 0;
    return rest;
  }
}
