import { Injectable, Logger } from '@nestjs/common';
import { Phase, ShutdownTask } from '@roost/shutdown';
import { OrderBook } from './order-book.js';

/** What the shop says about its orders when it stops. */
@Injectable()
export class Closing {
  private readonly logger = new Logger('Shop');

  constructor(private readonly book: OrderBook) {}

  @ShutdownTask(Phase.ServiceUnbind, { name: 'tell-what-waits' })
  tellWhatWaits(): void {
    const { waiting } = this.book;
    this.logger.log(
      waiting === 0
        ? 'closing: every order is shipped'
        : `closing: ${orders(waiting)} not shipped yet; the one in hand is finished first`,
    );
  }

  /** By now every request is answered and shipping has stopped: these numbers are final. */
  @ShutdownTask(Phase.BeforeActorSystemTerminate, { name: 'closing-summary' })
  summarise(): void {
    const { placedInThisLife, shippedInThisLife, waiting } = this.book;
    this.logger.log(
      `closed: ${orders(placedInThisLife)} confirmed, ${shippedInThisLife} shipped, ${waiting} left for the next start`,
    );
  }
}

const orders = (count: number): string => `${count} ${count === 1 ? 'order' : 'orders'}`;
