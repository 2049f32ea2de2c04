import {
  DataflowNode,
  Input,
  InputPort,
  type NodeContext,
  OnTimer,
  Output,
  OutputPort,
  PhysicalAction,
  Reaction,
  span,
} from '@roost/dataflow';
import type { OrderLine } from '../orders/order.js';
import { NO_TOTALS, type Snapshot, type Totals } from './snapshot.js';

/** The part of an order that the statistics use. */
export interface Sale {
  readonly lines: readonly OrderLine[];
  readonly totalCents: number;
}

/** Entry point of the graph: assigns each sale its logical time. */
@DataflowNode()
export class SalesNode {
  @PhysicalAction() confirmed!: PhysicalAction<Sale>;
  @Output() sale!: OutputPort<Sale>;

  @Reaction('confirmed')
  announce(): void {
    this.sale.set(this.confirmed.value!);
  }
}

@DataflowNode()
export class RevenueNode {
  @Input() sale!: InputPort<Sale>;
  @Output() totals!: OutputPort<Totals>;
  private sum = NO_TOTALS;

  @Reaction('sale')
  add(): void {
    this.sum = plus(this.sum, this.sale.value!);
    this.totals.set(this.sum);
  }
}

@DataflowNode()
export class ArticlesNode {
  @Input() sale!: InputPort<Sale>;
  @Output() sold!: OutputPort<Record<string, number>>;
  private readonly quantities = new Map<string, number>();

  @Reaction('sale')
  count(): void {
    for (const { sku, quantity } of this.sale.value!.lines) {
      this.quantities.set(sku, (this.quantities.get(sku) ?? 0) + quantity);
    }
    this.sold.set(Object.fromEntries(this.quantities));
  }
}

/** Updates on every sale, and every second to drop sales older than a minute. */
@DataflowNode()
export class WindowNode {
  @Input() sale!: InputPort<Sale>;
  @Output() lastMinute!: OutputPort<Totals>;
  private readonly recent: { readonly time: number; readonly totalCents: number }[] = [];

  @Reaction('sale')
  @OnTimer({ period: span.seconds(1) })
  slide({ now: { time } }: NodeContext): void {
    if (this.sale.isPresent) this.recent.push({ time, totalCents: this.sale.value!.totalCents });
    while (this.recent.length > 0 && this.recent[0]!.time <= time - span.toNs(span.minutes(1))) this.recent.shift();
    this.lastMinute.set(this.recent.reduce(plus, NO_TOTALS));
  }
}

/**
 * Joins the branches. At each tag it runs after all inputs with news have arrived, so a reader never sees revenue
 * without the articles that produced it.
 */
@DataflowNode()
export class SnapshotNode {
  @Input({ retain: true }) totals!: InputPort<Totals>;
  @Input({ retain: true }) sold!: InputPort<Record<string, number>>;
  @Input({ retain: true }) lastMinute!: InputPort<Totals>;
  last: Snapshot = { at: new Date().toISOString(), ...NO_TOTALS, sold: {}, lastMinute: NO_TOTALS };

  @Reaction('totals', 'sold', 'lastMinute')
  take(ctx: NodeContext): void {
    this.last = {
      at: ctx.date.toISOString(),
      ...(this.totals.value ?? NO_TOTALS),
      sold: this.sold.value ?? {},
      lastMinute: this.lastMinute.value ?? NO_TOTALS,
    };
  }
}

const plus = ({ orders, revenueCents }: Totals, { totalCents }: { readonly totalCents: number }): Totals => ({
  orders: orders + 1,
  revenueCents: revenueCents + totalCents,
});
