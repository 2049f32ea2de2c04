import type { RoostLogger } from '../logger.js';

/**
 * A logger that records every line as `level: message`, in order.
 *
 * @example
 * ```ts
 * import { RecordingLogger } from '@roost/kernel/testing';
 *
 * const logger = new RecordingLogger();
 * logger.warn('slow query');
 * console.log(logger.lines); // ['warn: slow query']
 * ```
 *
 * @publicApi
 */
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

  /** Returns the lines of one level. */
  of(level: keyof RoostLogger): string[] {
    return this.lines.filter((line) => line.startsWith(`${level}: `));
  }

  matching(pattern: RegExp): string[] {
    return this.lines.filter((line) => pattern.test(line));
  }
}
