import { EventEmitter } from 'node:events';
import type { FlushableStream, ProcessLike } from './process-like.js';

/** A stream whose reader takes what the test says. */
export class FakeStream implements FlushableStream {
  writableLength = 0;
  destroyed = false;
  _handle = { writeQueueSize: 0 };
  readonly errorListeners = new Set<() => void>();
  #waiting: (() => void)[] = [];

  /** Something of this size was written and nobody has read it. */
  fill(size: number): void {
    this.writableLength = size;
    this._handle.writeQueueSize = size;
  }

  /** The reader takes a part; the stream counts the chunk until all of it is gone. */
  take(size: number): void {
    this._handle.writeQueueSize -= size;
    if (this._handle.writeQueueSize > 0) return;
    this.writableLength = 0;
    for (const done of this.#waiting.splice(0)) done();
  }

  write(_chunk: string, callback: () => void): void {
    this.#waiting.push(callback);
  }

  on(_event: 'error', listener: () => void): void {
    this.errorListeners.add(listener);
  }

  off(_event: 'error', listener: () => void): void {
    this.errorListeners.delete(listener);
  }
}

/** A process that records its end instead of meeting it, and delivers a signal to itself in a later turn. */
export class FakeProcess extends EventEmitter implements ProcessLike {
  readonly pid = 1;
  exitCode: number | undefined;
  readonly stdout = new FakeStream();
  readonly stderr = new FakeStream();
  readonly exits: (number | undefined)[] = [];
  readonly killed: string[] = [];

  signal(name: string): void {
    this.emit(name, name);
  }

  kill(_pid: number, signal: string): void {
    this.killed.push(signal);
    if (this.listenerCount(signal) > 0) setImmediate(() => this.signal(signal));
  }

  exit(code?: number): void {
    if (code !== undefined) this.exitCode = code;
    this.emit('exit', code);
    this.exits.push(this.exitCode);
  }
}
