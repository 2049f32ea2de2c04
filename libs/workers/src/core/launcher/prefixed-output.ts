import type { Readable, Writable } from 'node:stream';

/** A longer line is passed on in pieces. */
const MAX_LINE = 64 * 1024;
/** Number of last lines kept for the failure report. */
const LAST_LINES = 10;
/** Lines that follow the error that ended a process. They would push the error out of the last lines. */
const STACK = /^\s+at |^Node\.js v\d/;

/** Passes text on line by line with a prefix, no faster than the target accepts it. */
export class PrefixedOutput {
  /** Resolves when the source has ended and all text has been written. */
  readonly whenClosed: Promise<void>;
  /** Number of chunks received and writes completed. */
  moves = 0;
  readonly #last: string[] = [];
  #rest = '';

  constructor(
    private readonly source: Readable,
    private readonly target: Writable,
    private readonly prefix: string,
  ) {
    source.setEncoding('utf8');
    source.on('data', (text: string) => this.#take(text));
    source.on('error', () => undefined);
    this.whenClosed = new Promise((resolve) => {
      source.on('close', () => {
        if (this.#rest !== '') this.#write([this.#rest]);
        this.#rest = '';
        resolve();
      });
    });
  }

  /** The last lines, without prefix and stack traces. */
  get lastLines(): string {
    return [...this.#last, this.#rest].filter((line) => line.trim() !== '').join('\n');
  }

  /** Whether it waits for the target to accept output. */
  get isHeldUp(): boolean {
    return this.source.isPaused();
  }

  #take(text: string): void {
    this.moves++;
    const lines = (this.#rest + text).split('\n');
    this.#rest = lines.pop()!;
    if (this.#rest.length > MAX_LINE) {
      lines.push(this.#rest);
      this.#rest = '';
    }
    if (lines.length > 0) this.#write(lines);
  }

  #write(lines: readonly string[]): void {
    this.#last.push(...lines.filter((line) => line.trim() !== '' && !STACK.test(line)).slice(-LAST_LINES));
    this.#last.splice(0, this.#last.length - LAST_LINES);
    const text = lines.map((line) => `${this.prefix}${line}\n`).join('');
    const taken = (): void => {
      this.moves++;
      this.source.resume();
    };
    if (!this.target.write(text, taken)) this.source.pause();
  }
}
