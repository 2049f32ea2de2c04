import type { Socket } from 'node:net';
import { setImmediate } from 'node:timers';
import { LENGTH_BYTES } from './frame-decoder.js';

/** Size in bytes of the chunks in which frames are collected. */
const CHUNK_BYTES = 64 * 1024;
/** Longer bodies are written directly, without a copy. */
const LONGEST_COPIED = 8 * 1024;

/**
 * Writes frames to a socket. All frames of one turn of the event loop are written together: one system call and a few
 * copies of short bodies cost far less than one call per frame.
 */
export class FrameWriter {
  #chunk = Buffer.alloc(0);
  /** Bytes between `#start` and `#end` are collected but not written yet. */
  #start = 0;
  #end = 0;
  #full: Uint8Array[] = [];
  #isScheduled = false;

  constructor(private readonly socket: Socket) {}

  /** Writes a frame. `head` is copied. The caller must not change `body` afterwards. */
  write(head: Uint8Array, body?: Uint8Array): void {
    const bodyBytes = body?.length ?? 0;
    const isCopied = bodyBytes <= LONGEST_COPIED;
    this.#reserve(LENGTH_BYTES + head.length + (isCopied ? bodyBytes : 0));
    this.#end = this.#chunk.writeUInt32LE(head.length + bodyBytes, this.#end);
    this.#chunk.set(head, this.#end);
    this.#end += head.length;
    if (body && isCopied) {
      this.#chunk.set(body, this.#end);
      this.#end += bodyBytes;
    } else if (body) {
      this.#cutOff();
      this.#full.push(body);
    }
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(() => {
      this.#isScheduled = false;
      this.flush();
    });
  }

  /** Passes all collected frames to the socket now. */
  flush(): void {
    this.#cutOff();
    const pieces = this.#full;
    if (pieces.length === 0 || this.socket.destroyed) return;
    this.#full = [];
    if (pieces.length === 1) {
      this.socket.write(pieces[0]!);
      return;
    }
    this.socket.cork();
    for (const piece of pieces) this.socket.write(piece);
    this.socket.uncork();
  }

  #reserve(bytes: number): void {
    if (this.#chunk.length - this.#end >= bytes) return;
    this.#cutOff();
    // Always a new buffer: the socket may hold parts of the old one until it can send them.
    this.#chunk = Buffer.allocUnsafeSlow(Math.max(CHUNK_BYTES, bytes));
    this.#start = this.#end = 0;
  }

  #cutOff(): void {
    if (this.#end === this.#start) return;
    this.#full.push(this.#chunk.subarray(this.#start, this.#end));
    this.#start = this.#end;
  }
}
