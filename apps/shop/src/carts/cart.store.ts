import { Injectable } from '@nestjs/common';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { replaceFile } from '../data/durable.js';
import { DataFolder } from '../data/data-folder.js';
import { type Cart, emptyCart } from './cart.js';

export class CartFileError extends Error {
  constructor(cart: string, cause: unknown) {
    super(`The file of cart "${cart}" cannot be used`, { cause });
    this.name = new.target.name;
  }
}

/** A small file for every cart that is not new. */
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

  /** @throws CartFileError, and then the file is as it was */
  async save(name: string, cart: Cart): Promise<void> {
    try {
      await replaceFile(this.fileOf(name), JSON.stringify(cart));
    } catch (error) {
      throw new CartFileError(name, error);
    }
  }

  /** Some file systems take "Alice" and "alice" for one name. */
  private fileOf(name: string): string {
    return join(this.folder.carts, `${name.replace(/[A-Z]/g, (letter) => `+${letter.toLowerCase()}`)}.json`);
  }
}

function parseCart(text: string): Cart {
  const { orderId, lines } = JSON.parse(text) as Partial<Cart>;
  if (typeof orderId !== 'string' || !Array.isArray(lines)) throw new Error('it is not a cart');
  return { orderId, lines };
}
