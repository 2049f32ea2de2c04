import type { GraphBuilder } from '@roost/dataflow';
import { ArticlesNode, RevenueNode, SalesNode, SnapshotNode, WindowNode } from './nodes.js';

/** One source, three branches, one join. */
export const statisticsGraph = (g: GraphBuilder): void => {
  const sales = g.node(SalesNode);
  const revenue = g.node(RevenueNode);
  const articles = g.node(ArticlesNode);
  const window = g.node(WindowNode);
  const snapshot = g.node(SnapshotNode);

  g.connect(sales.sale, revenue.sale);
  g.connect(sales.sale, articles.sale);
  g.connect(sales.sale, window.sale);

  g.connect(revenue.totals, snapshot.totals);
  g.connect(articles.sold, snapshot.sold);
  g.connect(window.lastMinute, snapshot.lastMinute);
};
