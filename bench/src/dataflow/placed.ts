import { type GraphBuilder, type GraphPlacement, span } from '@roost/dataflow/core';
import { Gauge, Join, Ping, Pong, Sensor, Sink, Source, Stage } from './nodes.js';

/** A graph across several processes. The coordinator is in the first. */
export interface PlacedGraph {
  processes: GraphPlacement['processes'];
  isFast: boolean;
  graph: (g: GraphBuilder) => void;
}

/** The report of a process about a run. */
export interface ProcessResult {
  status: string;
  controlMessages: number;
  dataMessages: number;
  /** Duration of a ping-pong round. */
  roundUs?: number;
  eventsPerSecond?: number;
}

export const PLACED = {
  /** Each value waits for the answer to the previous one. */
  pingPong: {
    processes: { left: ['ping'], right: ['pong'] },
    isFast: true,
    graph: (g) => {
      const [ping, pong] = [g.node(Ping), g.node(Pong)];
      g.connect(ping.out, pong.in);
      g.connect(pong.out, ping.in, { after: span.ns(0) });
    },
  },
  /** The source does not wait. */
  stream: {
    processes: { right: ['gauge'], left: ['source'] },
    isFast: true,
    graph: (g) => g.connect(g.node(Source).out, g.node(Gauge).in),
  },
  /** Two paths from one process to another, through two more. */
  diamond: {
    processes: { top: ['source'], left: ['left'], right: ['right'], bottom: ['join'] },
    isFast: true,
    graph: (g) => {
      const [source, left, right, join] = [
        g.node(Source),
        g.node(Stage, { name: 'left' }),
        g.node(Stage, { name: 'right' }),
        g.node(Join),
      ];
      g.connect(source.out, left.in);
      g.connect(source.out, right.in);
      g.connect(left.out, join.left);
      g.connect(right.out, join.right);
    },
  },
  /** Idle until its sensor is closed. */
  idle: {
    processes: { left: ['sensor'], right: ['sink'] },
    isFast: false,
    graph: (g) => g.connect(g.node(Sensor).out, g.node(Sink).in),
  },
} satisfies Record<string, PlacedGraph>;
