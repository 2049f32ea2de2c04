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

/** What the statistics want to know of an order. */
export interface Sale {
  readonly lines: readonly OrderLine[];
  readonly totalCents: number;
}

/** The door: whatever comes through gets its place in logical time here. */
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

/** Changes with every sale, and every second, because old ones leave. */
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
 * Where the branches meet again. At a tag every input that has news has brought it before this runs, so no reader ever sees
 * a revenue without the articles that made it.
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
