import { Dataflow, type DataflowReport, type GraphBuilder, ms, type ProcessOptions, us } from '../index.js';
import { ProcessLostError } from '../errors/process-lost.error.js';
import { agreed, Cluster } from './cluster.fixture.js';
import { Clockwork, Counter, Doubler, Sieve, Sink, Ticker } from './nodes.fixture.js';

interface Case {
  readonly graph: (g: GraphBuilder) => void;
  readonly processes: Record<string, string[]>;
  readonly options?: Partial<ProcessOptions>;
}

const pipeline: Case = {
  graph: (g) => {
    const [counter, doubler, sink] = [g.node(Counter), g.node(Doubler), g.node(Sink)];
    g.connect(counter.out, doubler.in);
    g.connect(doubler.out, sink.left);
  },
  processes: { a: ['counter'], b: ['doubler'], c: ['sink'] },
};

const CASES: Record<string, Case> = {
  'in a pipeline': pipeline,
  'with little room': { ...pipeline, options: { window: 1 } },
  'beside a way around it': {
    graph: (g) => {
      const [counter, doubler, sink] = [g.node(Counter), g.node(Doubler), g.node(Sink)];
      g.connect(counter.out, doubler.in, { after: ms(2) });
      g.connect(doubler.out, sink.left, { after: us(1_500) });
      g.connect(counter.out, sink.right);
    },
    processes: { a: ['counter'], b: ['doubler'], c: ['sink'] },
    options: { window: 3 },
  },
  'next to another that crashes as well': {
    graph: (g) => {
      const [counter, doubler, clockwork, sink] = [g.node(Counter), g.node(Doubler), g.node(Clockwork), g.node(Sink)];
      g.connect(counter.out, doubler.in);
      g.connect(doubler.out, clockwork.in, { after: ms(1) });
      g.connect(clockwork.out, sink.left);
      g.connect(counter.out, sink.right, { after: ms(1) });
    },
    processes: { a: ['counter'], b: ['doubler'], c: ['clockwork'], d: ['sink'] },
    options: { timeout: ms(25), window: 4 },
  },
  'behind one that says little': {
    graph: (g) => {
      const [ticker, sieve, doubler, sink] = [g.node(Ticker), g.node(Sieve), g.node(Doubler), g.node(Sink)];
      g.connect(ticker.out, sieve.in);
      g.connect(sieve.out, doubler.in);
      g.connect(doubler.out, sink.left);
    },
    processes: { a: ['ticker'], b: ['sieve'], c: ['doubler'], d: ['sink'] },
    options: { timeout: ms(40), window: 4 },
  },
  'with a node of the coordinator': {
    graph: (g) => {
      const [counter, doubler, sink] = [g.node(Counter), g.node(Doubler), g.node(Sink)];
      g.connect(counter.out, doubler.in);
      g.connect(doubler.out, sink.left);
      g.connect(counter.out, sink.right);
    },
    processes: { coordinator: ['counter', 'sink'], b: ['doubler'] },
    options: { window: 2 },
  },
};

const lasting = ({ nodes }: DataflowReport): unknown =>
  Object.fromEntries(Object.entries(nodes).filter(([name]) => ['counter', 'ticker', 'sink'].includes(name)));

describe('a process whose nodes have onCrash: restart', () => {
  it.each(Object.entries(CASES))('goes on where it was, %s', async (_, { graph, processes, options = {} }) => {
    const alone = new Dataflow({ graph, fast: true, ...options });
    const expected = await alone.run();
    for (let seed = 1; seed <= Number(process.env['SEEDS'] ?? 15); seed++) {
      const cluster = Cluster.started({ graph, placement: { processes }, seed, options });
      let left = 1 + (seed % 4);
      const down = new Set<string>();
      const mayCrash = Object.keys(processes).filter((name) =>
        processes[name]!.some((node) => !['counter', 'ticker', 'sink'].includes(node)),
      );
      while (!cluster.isOver) {
        await cluster.step();
        for (const name of mayCrash) {
          const isOver = cluster.alive.some(({ report }) => report !== undefined);
          if (left > 0 && !down.has(name) && !isOver && cluster.random() < 0.02) {
            cluster.kill(name);
            down.add(name);
            left--;
          } else if (down.has(name) && (isOver || cluster.random() < 0.1)) {
            down.delete(name);
            if (!isOver) cluster.start(name);
          }
        }
      }
      const { status, stopTag, ...report } = agreed(await cluster.run());
      expect({ seed, status, stopTag, nodes: lasting({ status, stopTag, ...report }) }).toEqual({
        seed,
        status: expected.status,
        stopTag: expected.stopTag,
        nodes: lasting(expected),
      });
      expect(cluster.node<Sink>('sink').seen).toEqual(alone.node<Sink>('sink')!.seen);
    }
  });
});
void ProcessLostError;
