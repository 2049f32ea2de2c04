import type { OnApplicationShutdown } from '@nestjs/common';
import { EventEmitter, once } from 'node:events';
import type { DataFolder } from '../data/data-folder.js';
import { ShopFault } from '../shop-fault.js';
import { Journal } from './journal.js';
import type { JournalEntry } from './journal-entry.js';
import type { Order, PlacedOrder } from './order.js';

/** All orders, in memory and in the journal. Any component may read it; only the orders actor writes. */
export class OrderBook implements OnApplicationShutdown {
  private readonly orders = new Map<string, Order>();
  /** Ids, oldest first. */
  private readonly unshipped = new Set<string>();
  private readonly events = new EventEmitter();
  private journal!: Journal;
  placedInThisLife = 0;
  shippedInThisLife = 0;

  private constructor(private readonly folder: DataFolder) {}

  /** @throws ShopFault */
  static async open(folder: DataFolder): Promise<OrderBook> {
    const book = new OrderBook(folder);
    try {
      book.journal = await Journal.open(folder.orders, (entry) => book.apply(entry));
    } catch (error) {
      throw error instanceof ShopFault ? error : new ShopFault([(error as Error).message]);
    }
    return book;
  }

  get size(): number {
    return this.orders.size;
  }

  get waiting(): number {
    return this.unshipped.size;
  }

  find(id: string): Order | undefined {
    return this.orders.get(id);
  }

  newest(count: number): Order[] {
    return [...this.orders.values()].slice(-count).reverse();
  }

  /** Resolves when the order is on disk. */
  async place(order: PlacedOrder): Promise<Order> {
    await this.write({ type: 'placed', order });
    this.placedInThisLife++;
    this.events.emit('placed');
    return this.orders.get(order.id)!;
  }

  /** Resolves when the shipment is on disk. */
  async markShipped(id: string): Promise<void> {
    await this.write({ type: 'shipped', id, at: new Date().toISOString() });
    this.shippedInThisLife++;
  }

  /** Waits until there is an unshipped order. Rejects when the signal aborts. */
  async oldestUnshipped(signal: AbortSignal): Promise<Order> {
    for (;;) {
      const [id] = this.unshipped;
      if (id !== undefined) return this.orders.get(id)!;
      await once(this.events, 'placed', { signal });
    }
  }

  /** Nest calls this after all shutdown phases and the last request, when nothing writes to the journal. */
  async onApplicationShutdown(): Promise<void> {
    await this.journal.close();
    await this.folder.release();
  }

  private async write(entry: JournalEntry): Promise<void> {
    await this.journal.append(entry);
    this.apply(entry);
  }

  private apply(entry: JournalEntry): void {
    if (entry.type === 'placed') {
      if (this.orders.has(entry.order.id)) throw new Error(`order ${entry.order.id} already exists`);
      this.orders.set(entry.order.id, { ...entry.order, status: 'placed' });
      this.unshipped.add(entry.order.id);
    } else {
      const order = this.orders.get(entry.id);
      if (!order) throw new Error(`unknown order ${entry.id}`);
      this.orders.set(entry.id, { ...order, status: 'shipped', shippedAt: entry.at });
      this.unshipped.delete(entry.id);
    }
  }
}
