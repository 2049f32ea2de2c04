import type { Socket } from 'node:net';
import { setImmediate } from 'node:timers';
import { LENGTH_BYTES } from './frame-decoder.js';

/** Frames are gathered in pieces of memory of this size. */
const CHUNK_BYTES = 64 * 1024;
/** A longer body is not copied, but written as it is. */
const LONGEST_COPIED = 8 * 1024;

/**
 * Writes frames to a socket, all that are sent within a turn of the event loop at once: one system call and a few copies
 * of short bodies cost far less than a call for each.
 */
export class FrameWriter {
  #chunk = Buffer.alloc(0);
  /** What lies between the two is gathered and not yet written. */
  #start = 0;
  #end = 0;
  #full: Uint8Array[] = [];
  #isScheduled = false;

  constructor(private readonly socket: Socket) {}

  /** `head` is copied; `body` must not be changed any more. */
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

  /** Hands all to the socket, now. */
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
    // Never written twice: the socket may hold what was cut off until it can send it.
    this.#chunk = Buffer.allocUnsafeSlow(Math.max(CHUNK_BYTES, bytes));
    this.#start = this.#end = 0;
  }

  #cutOff(): void {
    if (this.#end === this.#start) return;
    this.#full.push(this.#chunk.subarray(this.#start, this.#end));
    this.#start = this.#end;
  }
}
