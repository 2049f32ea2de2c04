import { Injectable } from '@nestjs/common';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { replaceFile } from '../data/durable.js';
import { DataFolder } from '../data/data-folder.js';
import { type Cart, emptyCart } from './cart.js';

export class CartFileError extends Error {
  constructor(cart: string, cause: unknown) {
    super(`The file of cart "${cart}" is damaged or not accessible`, { cause });
    this.name = new.target.name;
  }
}

/** Keeps one small file for each cart that has been changed. */
@Injectable()
export class CartStore {
  constructor(private readonly folder: DataFolder) {}

  /** @throws CartFileError */
  async load(name: string): Promise<Cart> {
    try {
      return parseCart(await readFile(this.fileOf(name), 'utf8'));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return emptyCart();
      throw new CartFileError(name, error);
    }
  }

  /** Leaves the file unchanged if it fails. @throws CartFileError */
  async save(name: string, cart: Cart): Promise<void> {
    try {
      await replaceFile(this.fileOf(name), JSON.stringify(cart));
    } catch (error) {
      throw new CartFileError(name, error);
    }
  }

  /** Some file systems treat "Alice" and "alice" as the same name. */
  private fileOf(name: string): string {
    return join(this.folder.carts, `${name.replace(/[A-Z]/g, (letter) => `+${letter.toLowerCase()}`)}.json`);
  }
}

function parseCart(text: string): Cart {
  const { orderId, lines } = JSON.parse(text) as Partial<Cart>;
  if (typeof orderId !== 'string' || !Array.isArray(lines)) throw new Error('the file does not contain a cart');
  return { orderId, lines };
}
