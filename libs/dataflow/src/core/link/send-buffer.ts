/** Acknowledged frames are cut off the array when there are this many of them, and they are half of it. */
const COMPACT_AT = 1_024;

/**
 * The frames that the peer has not acknowledged, by number, from 1. Those before `next` are under way. It holds the
 * bytes themselves, not copies.
 */
export class SendBuffer {
  /** The first frame that is not acknowledged. */
  oldest = 1;
  /** The first frame that is not under way. */
  next = 1;
  bytes = 0;
  bytesUnderWay = 0;
  #frames: (Uint8Array | undefined)[] = [];
  #head = 0;

  get size(): number {
    return this.#frames.length - this.#head;
  }

  /** The last frame there is; `oldest - 1` when all are acknowledged. */
  get newest(): number {
    return this.oldest + this.size - 1;
  }

  push(frame: Uint8Array): void {
    this.#frames.push(frame);
    this.bytes += frame.length;
  }

  /** The frame to send next, if there is one that is not under way. */
  peek(): Uint8Array | undefined {
    return this.#frames[this.#head + this.next - this.oldest];
  }

  /** The frame that `peek` gave is under way. */
  advance(): void {
    this.bytesUnderWay += this.peek()!.length;
    this.next++;
  }

  /** Nothing is under way any more. */
  rewind(): void {
    this.next = this.oldest;
    this.bytesUnderWay = 0;
  }

  /** Forgets the frames up to this number, which must not be over `newest`. */
  acknowledge(seq: number): void {
    while (this.oldest <= seq) {
      const { length } = this.#frames[this.#head]!;
      // Lets go of the bytes before the array is cut.
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

  /** Starts afresh. @returns what was not acknowledged, in order */
  clear(): Uint8Array[] {
    const rest = this.#frames.slice(this.#head) as Uint8Array[];
    this.#frames = [];
    this.#head = 0;
    this.oldest = this.next = 1;
    this.bytes = this.bytesUnderWay = 0;
    return rest;
  }
}
