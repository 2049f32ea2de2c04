import { Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import { ActorSystem } from '@roost/actors';
import { Phase, ShutdownTask } from '@roost/shutdown';
import { OrderConfirmed } from '../orders/order.messages.js';
import { SalesNode, SnapshotNode } from './nodes.js';

/**
 * Feeds confirmed orders from the actors into the graph. Orders do not wait for it: `schedule()` returns immediately,
 * and returns false when the graph has stopped. In that case only the statistics miss the order.
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

  /** The graph stopped in an earlier phase, after it had handled all orders that had arrived. */
  @ShutdownTask(Phase.BeforeActorSystemTerminate, { name: 'last-statistics' })
  sayLast(): void {
    const { orders, revenueCents, sold } = this.snapshot.last;
    this.logger.log(`orders: ${orders}, revenue: ${(revenueCents / 100).toFixed(2)}, sold: ${JSON.stringify(sold)}`);
  }
}
