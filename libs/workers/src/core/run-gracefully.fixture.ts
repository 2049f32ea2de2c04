import { EventEmitter } from 'node:events';
import type { FlushableStream, ProcessLike } from '@roost/shutdown/core';

const stream: FlushableStream = {
  writableLength: 0,
  destroyed: false,
  write: (_chunk, callback) => (callback(), true),
};

/** A process that records its exit code instead of exiting. */
export class FakeProcess extends EventEmitter implements ProcessLike {
  readonly pid = 4711;
  exitCode: number | undefined;
  readonly stdout = stream;
  readonly stderr = stream;
  readonly exits: (number | undefined)[] = [];

  kill(): void {
    throw new Error('no process must be killed');
  }

  exit(code?: number): void {
    this.exits.push(code);
  }
}
