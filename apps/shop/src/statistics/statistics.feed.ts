import { Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import { ActorSystem } from '@roost/actors';
import { Phase, ShutdownTask } from '@roost/shutdown';
import { OrderConfirmed } from '../orders/order.messages.js';
import { SalesNode, SnapshotNode } from './nodes.js';

/**
 * From the actors into the graph. Nobody waits for it: `schedule()` returns at once, and false when the graph has stopped.
 * Then the statistics miss an order, and the order misses nothing.
 */
@Injectable()
export class StatisticsFeed implements OnModuleInit {
  private readonly logger = new Logger('Statistics');

  constructor(
    private readonly system: ActorSystem,
    private readonly sales: SalesNode,
    private readonly snapshot: SnapshotNode,
  ) {}

  onModuleInit(): void {
    this.system.events$.subscribe((event) => {
      if (!(event instanceof OrderConfirmed)) return;
      const { lines, totalCents } = event.order;
      this.sales.confirmed.schedule({ lines, totalCents });
    });
  }

  /** The graph has stopped in an earlier phase, with everything handled that had come in. */
  @ShutdownTask(Phase.BeforeActorSystemTerminate, { name: 'last-statistics' })
  sayLast(): void {
    const { orders, revenueCents, sold } = this.snapshot.last;
    this.logger.log(`orders: ${orders}, revenue: ${(revenueCents / 100).toFixed(2)}, sold: ${JSON.stringify(sold)}`);
  }
}
