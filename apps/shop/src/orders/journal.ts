import { Logger } from '@nestjs/common';
import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { dirname } from 'node:path';
import { syncFolder } from '../data/durable.js';
import { ShopFault } from '../shop-fault.js';
import { type JournalEntry, parseEntry } from './journal-entry.js';

/** The entry is not in the journal: the order does not count. */
export class JournalError extends Error {
  constructor(path: string, cause: unknown) {
    super(`${path} could not be written: ${(cause as Error).message}`, { cause });
    this.name = new.target.name;
  }
}

/** A file that only grows, by a line of JSON for everything that has happened. One call of `append` at a time. */
export class Journal {
  private static readonly logger = new Logger(Journal.name);
  private isBroken = false;

  private constructor(
    private readonly path: string,
    private readonly file: FileHandle,
    private size: number,
  ) {}

  /**
   * @param apply gets every entry of the file; what it throws counts as damage
   * @throws ShopFault when a line is damaged: going on would mean to forget orders
   */
  static async open(path: string, apply: (entry: JournalEntry) => void): Promise<Journal> {
    const file = await open(path, constants.O_RDWR | constants.O_CREAT);
    try {
      const bytes = await file.readFile();
      const size = bytes.lastIndexOf('\n') + 1;
      readLines(path, bytes.toString('utf8', 0, size), apply);
      if (size < bytes.length) {
        Journal.logger.warn(`${path} ends in the middle of a line: ${bytes.length - size} bytes cut off`);
        await file.truncate(size);
      }
      await file.sync();
      await syncFolder(dirname(path));
      return new Journal(path, file, size);
    } catch (error) {
      await file.close();
      throw error;
    }
  }

  /** Resolves when the entry is on the disk. @throws JournalError, and then it is not in the file */
  async append(entry: JournalEntry): Promise<void> {
    if (this.isBroken) throw new JournalError(this.path, new Error('an earlier write could not be undone'));
    const bytes = Buffer.from(`${JSON.stringify(entry)}\n`);
    try {
      let written = 0;
      while (written < bytes.length) {
        written += (await this.file.write(bytes, written, bytes.length - written, this.size + written)).bytesWritten;
      }
      await this.file.sync();
    } catch (error) {
      await this.undo();
      throw new JournalError(this.path, error);
    }
    this.size += bytes.length;
  }

  async close(): Promise<void> {
    await this.file.close();
  }

  /** Half a line in the middle of the file would keep the next start from reading it. */
  private async undo(): Promise<void> {
    try {
      await this.file.truncate(this.size);
      await this.file.sync();
    } catch (error) {
      this.isBroken = true;
      Journal.logger.error(`${this.path} takes no more entries until the next start`, error);
    }
  }
}

function readLines(path: string, text: string, apply: (entry: JournalEntry) => void): void {
  for (const [index, line] of text.split('\n').slice(0, -1).entries()) {
    try {
      apply(parseEntry(line));
    } catch (error) {
      const what = `${path}, line ${index + 1} is damaged: ${(error as Error).message}`;
      throw new ShopFault([what, 'Repair or remove that line, or put the file aside to begin without its orders.']);
    }
  }
}
