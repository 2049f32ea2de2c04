/** The part of `process` that the engine uses, so that a test can pass a fake. @publicApi */
export interface ProcessLike {
  readonly pid: number;
  exitCode?: number | string | null | undefined;
  readonly stdout: FlushableStream;
  readonly stderr: FlushableStream;
  on(event: string, listener: (...args: unknown[]) => void): unknown;
  off(event: string, listener: (...args: unknown[]) => void): unknown;
  emit(event: string, ...args: unknown[]): boolean;
  listenerCount(event: string): number;
  kill(pid: number, signal: string): unknown;
  exit(code?: number): unknown;
}

/** @publicApi */
export interface FlushableStream {
  readonly writableLength: number;
  readonly destroyed: boolean;
  /** Bytes that the operating system has not accepted yet, if Node exposes them. */
  readonly _handle?: { readonly writeQueueSize?: number } | null;
  write(chunk: string, callback: () => void): unknown;
  on?(event: 'error', listener: () => void): unknown;
  off?(event: 'error', listener: () => void): unknown;
}
