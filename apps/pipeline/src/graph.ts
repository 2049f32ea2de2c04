import { Module } from '@nestjs/common';
import type { GraphBuilder, GraphPlacement } from '@roost/dataflow';
import { Journal } from './journal.js';
import { AlarmNode, JoinNode, JournalNode, SensorNode, SmoothNode } from './nodes.js';

export const graph = (g: GraphBuilder): void => {
  const [sensor, smooth, alarm] = [g.node(SensorNode), g.node(SmoothNode), g.node(AlarmNode)];
  const [join, journal] = [g.node(JoinNode), g.node(JournalNode)];
  g.connect(sensor.reading, smooth.reading);
  g.connect(sensor.reading, alarm.reading);
  g.connect(smooth.smooth, join.smooth);
  g.connect(alarm.judged, join.judged);
  g.connect(join.row, journal.row);
};

/** Assigns nodes to processes. The placement does not change what the nodes compute. */
export const placement = {
  app: 'pipeline',
  processes: {
    source: ['sensor'],
    left: ['smooth'],
    right: ['alarm'],
    join: ['join'],
    sink: ['journal'],
  },
  coordinator: 'coordinator',
} satisfies GraphPlacement;

@Module({ providers: [SensorNode, SmoothNode, AlarmNode, JoinNode, JournalNode, Journal] })
export class NodesModule {}
