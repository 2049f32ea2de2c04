import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { tempDir } from '../../../support/temp-dir.js';

/** The work that the processes of a test have started and finished, in chronological order. */
export class WorkLog {
  private constructor(
    readonly path: string,
    readonly remove: () => Promise<void>,
  ) {}

  static async create(): Promise<WorkLog> {
    const dir = await tempDir();
    const path = join(dir.path, 'work.log');
    writeFileSync(path, '');
    return new WorkLog(path, dir.remove);
  }

  get lines(): string[] {
    return readFileSync(this.path, 'utf8').split('\n').slice(0, -1);
  }

  get begun(): string[] {
    return this.#all('begin ');
  }

  get ended(): string[] {
    return this.#all('end ');
  }

  #all(prefix: string): string[] {
    return this.lines.filter((line) => line.startsWith(prefix)).map((line) => line.slice(prefix.length));
  }
}
