import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

/** A program under measurement, whose output is read line by line. */
export class Program {
  readonly exited: Promise<unknown>;
  readonly #child: ChildProcess;
  readonly #lines: AsyncIterator<string>;

  constructor(file: string, args: string[], nodeArgs: string[] = []) {
    const path = fileURLToPath(new URL(`./fixtures/${file}`, import.meta.url));
    this.#child = spawn(process.execPath, [...nodeArgs, path, ...args], { stdio: ['pipe', 'pipe', 'inherit'] });
    this.exited = once(this.#child, 'exit');
    this.#lines = createInterface(this.#child.stdout!)[Symbol.asyncIterator]();
  }

  /** Resolves to the next line that contains this text. */
  async next(text = ''): Promise<string> {
    for (;;) {
      const line = (await this.#lines.next()) as IteratorResult<string, undefined>;
      if (line.done) throw new Error(`the program exited before it printed "${text}"`);
      if (line.value.includes(text)) return line.value;
    }
  }

  get pid(): number {
    return this.#child.pid!;
  }

  send(line: string): void {
    this.#child.stdin!.write(`${line}\n`);
  }

  async kill(signal: NodeJS.Signals): Promise<void> {
    this.#child.kill(signal);
    await this.exited;
  }

  signal(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }
}
