import { Logger } from '@nestjs/common';
import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { dirname } from 'node:path';
import { syncFolder } from '../data/durable.js';
import { ShopFault } from '../shop-fault.js';
import { type JournalEntry, parseEntry } from './journal-entry.js';

/** The entry was not written, so the order does not count. */
export class JournalError extends Error {
  constructor(path: string, cause: unknown) {
    super(`${path} could not be written: ${(cause as Error).message}`, { cause });
    this.name = new.target.name;
  }
}

/** An append-only file with one line of JSON per event. Calls to `append` must not overlap. */
export class Journal {
  private static readonly logger = new Logger(Journal.name);
  private isBroken = false;

  private constructor(
    private readonly path: string,
    private readonly file: FileHandle,
    private size: number,
  ) {}

  /**
   * @param apply receives every entry of the file; if it throws, the line counts as damaged
   * @throws ShopFault when a line is damaged, because continuing would lose orders
   */
  static async open(path: string, apply: (entry: JournalEntry) => void): Promise<Journal> {
    const file = await open(path, constants.O_RDWR | constants.O_CREAT);
    try {
      const bytes = await file.readFile();
      const size = bytes.lastIndexOf('\n') + 1;
      readLines(path, bytes.toString('utf8', 0, size), apply);
      if (size < bytes.length) {
        Journal.logger.warn(`${path} ends in the middle of a line: removed ${bytes.length - size} bytes`);
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

  /** Resolves when the entry is on disk. @throws JournalError if the entry was not written */
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

  /** Removes a partly written line. Otherwise the next start could not read the file. */
  private async undo(): Promise<void> {
    try {
      await this.file.truncate(this.size);
      await this.file.sync();
    } catch (error) {
      this.isBroken = true;
      Journal.logger.error(`${this.path} accepts no entries until the next start`, error);
    }
  }
}

function readLines(path: string, text: string, apply: (entry: JournalEntry) => void): void {
  for (const [index, line] of text.split('\n').slice(0, -1).entries()) {
    try {
      apply(parseEntry(line));
    } catch (error) {
      const what = `${path}, line ${index + 1} is damaged: ${(error as Error).message}`;
      throw new ShopFault([what, 'Repair or remove that line, or move the file away to start without its orders.']);
    }
  }
}
