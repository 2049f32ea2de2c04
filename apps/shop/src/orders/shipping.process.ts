import { BackgroundProcess, type RunToken } from '@roost/workers';
import { setTimeout as pause } from 'node:timers/promises';
import { ShopConfig } from '../config.js';
import { OrderBook } from './order-book.js';
import { Orders } from './orders.js';

/**
 * Ships one order after the other, the oldest first. What is placed and not shipped is in the journal, so an order that is
 * left when the process ends is shipped after the next start.
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
      // A stop may cut the wait: nothing has been taken yet.
      const { id } = await this.book.oldestUnshipped(run.signal);
      using _ = run.hold(`order ${id}`);
      // Here no signal: the parcel is in somebody's hands, and a stop waits for it.
      await pause(this.config.shipMs);
      await this.orders.markShipped(id);
    }
  }
}
