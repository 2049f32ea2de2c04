import { BackgroundProcess, type RunToken } from '@roost/workers';
import { setTimeout as pause } from 'node:timers/promises';
import { ShopConfig } from '../config.js';
import { OrderBook } from './order-book.js';
import { Orders } from './orders.js';

/**
 * Ships orders one at a time, oldest first. The journal lists unshipped orders, so they are shipped after the next
 * start.
 */
@BackgroundProcess()
export class ShippingProcess {
  constructor(
    private readonly book: OrderBook,
    private readonly orders: Orders,
    private readonly config: ShopConfig,
  ) {}

  async handle(run: RunToken): Promise<void> {
    while (run.isRunning()) {
      // A stop may interrupt this wait, because no order has been claimed yet.
      const { id } = await this.book.oldestUnshipped(run.signal);
      using _ = run.hold(`order ${id}`);
      // Takes no signal: a shipment that has started must finish, and the shutdown waits for it.
      await pause(this.config.shipMs);
      await this.orders.markShipped(id);
    }
  }
}
