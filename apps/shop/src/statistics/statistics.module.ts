import { Module } from '@nestjs/common';
import { DataflowModule } from '@roost/dataflow';
import { statisticsGraph } from './graph.js';
import { ArticlesNode, RevenueNode, SalesNode, SnapshotNode, WindowNode } from './nodes.js';
import { StatisticsController } from './statistics.controller.js';
import { StatisticsFeed } from './statistics.feed.js';

@Module({
  // The shop keeps selling even if the statistics fail.
  imports: [DataflowModule.forRoot({ graph: statisticsGraph, exit: 'never' })],
  controllers: [StatisticsController],
  providers: [SalesNode, RevenueNode, ArticlesNode, WindowNode, SnapshotNode, StatisticsFeed],
})
export class StatisticsModule {}
