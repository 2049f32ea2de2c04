import { Injectable, Logger } from '@nestjs/common';
import { Phase, ShutdownTask } from '@roost/shutdown';
import { OrderBook } from './order-book.js';

/** Logs the state of the orders during shutdown. */
@Injectable()
export class Closing {
  private readonly logger = new Logger('Shop');

  constructor(private readonly book: OrderBook) {}

  @ShutdownTask(Phase.ServiceUnbind, { name: 'tell-what-waits' })
  tellWhatWaits(): void {
    const { waiting } = this.book;
    this.logger.log(
      waiting === 0
        ? 'closing: all orders are shipped'
        : `closing: ${orders(waiting)} not shipped yet; the current shipment is finished first`,
    );
  }

  /** All requests have been answered and shipping has stopped, so these numbers are final. */
  @ShutdownTask(Phase.BeforeActorSystemTerminate, { name: 'closing-summary' })
  summarise(): void {
    const { placedInThisLife, shippedInThisLife, waiting } = this.book;
    this.logger.log(
      `closed: ${orders(placedInThisLife)} confirmed, ${shippedInThisLife} shipped, ${waiting} left for the next start`,
    );
  }
}

const orders = (count: number): string => `${count} ${count === 1 ? 'order' : 'orders'}`;
