import type { ShutdownLogger } from '@roost/shutdown/core';

/** Keeps every line as `level: message`. */
export class RecordingLogger implements ShutdownLogger {
  readonly lines: string[] = [];

  log(message: string): void {
    this.lines.push(`log: ${message}`);
  }

  warn(message: string): void {
    this.lines.push(`warn: ${message}`);
  }

  error(message: string): void {
    this.lines.push(`error: ${message}`);
  }

  /** The lines of one level. */
  of(level: keyof ShutdownLogger): string[] {
    return this.lines.filter((line) => line.startsWith(`${level}: `));
  }
}
