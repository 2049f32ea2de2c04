import { mkdir } from 'node:fs/promises';
import type { Server } from 'node:net';
import { join } from 'node:path';
import { ShopFault } from '../shop-fault.js';
import { FolderInUseError, lockFolder } from './folder-lock.js';

/** The folder for the shop's persistent data. Only one process can open it at a time. */
export class DataFolder {
  private constructor(
    readonly path: string,
    private readonly lock: Server,
  ) {}

  get carts(): string {
    return join(this.path, 'carts');
  }

  get orders(): string {
    return join(this.path, 'orders.jsonl');
  }

  /** @throws ShopFault */
  static async open(path: string): Promise<DataFolder> {
    try {
      await mkdir(join(path, 'carts'), { recursive: true });
      return new DataFolder(path, await lockFolder(path));
    } catch (error) {
      const why =
        error instanceof FolderInUseError
          ? 'another shop is using it. Stop that shop, or set DATA_DIR to another folder'
          : (error as Error).message;
      throw new ShopFault([`DATA_DIR is "${path}": ${why}`]);
    }
  }

  release(): Promise<void> {
    return new Promise((resolve) => this.lock.close(() => resolve()));
  }
}
