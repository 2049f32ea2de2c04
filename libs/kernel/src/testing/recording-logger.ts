import type { RoostLogger } from '../logger.js';

/** A logger that keeps every line as `level: message`, in order. @publicApi */
export class RecordingLogger implements Required<RoostLogger> {
  readonly lines: string[] = [];

  debug(message: string): void {
    this.lines.push(`debug: ${message}`);
  }

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
  of(level: keyof RoostLogger): string[] {
    return this.lines.filter((line) => line.startsWith(`${level}: `));
  }

  matching(pattern: RegExp): string[] {
    return this.lines.filter((line) => pattern.test(line));
  }
}
