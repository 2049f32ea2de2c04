import { EventEmitter } from 'node:events';
import type { FlushableStream, ProcessLike } from './process-like.js';

/** Output stream of a `FakeProcess`. The test decides how much its reader consumes. @publicApi */
export class FakeStream implements FlushableStream {
  writableLength = 0;
  destroyed = false;
  _handle = { writeQueueSize: 0 };
  readonly errorListeners = new Set<() => void>();
  #waiting: (() => void)[] = [];

  /** Sets the number of bytes that are written but not read yet. */
  fill(size: number): void {
    this.writableLength = size;
    this._handle.writeQueueSize = size;
  }

  /** Lets the reader consume `size` bytes. As in Node, a chunk counts in full until all of it has been read. */
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

/**
 * A process for tests. It records exits instead of exiting, and `kill` delivers the signal in a later turn of the event
 * loop.
 *
 * @example
 * ```ts
 * import { CoordinatedShutdown } from '@roost/shutdown/core';
 * import { FakeProcess } from '@roost/shutdown/testing';
 *
 * const proc = new FakeProcess();
 * const shutdown = new CoordinatedShutdown({}, proc);
 * shutdown.installProcessHooks();
 * proc.signal('SIGTERM');
 * await shutdown.terminated;
 * console.log(proc.exits);
 * ```
 *
 * @publicApi
 */
export class FakeProcess extends EventEmitter implements ProcessLike {
  readonly pid = 1;
  exitCode: number | undefined;
  readonly stdout = new FakeStream();
  readonly stderr = new FakeStream();
  /** Recorded exit codes. */
  readonly exits: (number | undefined)[] = [];
  /** Signals sent with `kill`. */
  readonly killed: string[] = [];

  /** Delivers a signal from outside, synchronously. */
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
