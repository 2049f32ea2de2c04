import { Dataflow, type DataflowReport, type GraphBuilder, type ProcessOptions, span } from '../index.js';
import { agreed, Cluster } from './cluster.fixture.js';
import { Clockwork, Counter, Doubler, Pulse, Sieve, Sink, Ticker, Watchdog } from './nodes.fixture.js';

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
  'with a window of 1': { ...pipeline, options: { window: 1 } },
  'beside a path around it': {
    graph: (g) => {
      const [counter, doubler, sink] = [g.node(Counter), g.node(Doubler), g.node(Sink)];
      g.connect(counter.out, doubler.in, { after: span.ms(2) });
      g.connect(doubler.out, sink.left, { after: span.us(1_500) });
      g.connect(counter.out, sink.right);
    },
    processes: { a: ['counter'], b: ['doubler'], c: ['sink'] },
    options: { window: 3 },
  },
  'next to another process that crashes': {
    graph: (g) => {
      const [counter, doubler, clockwork, sink] = [g.node(Counter), g.node(Doubler), g.node(Clockwork), g.node(Sink)];
      g.connect(counter.out, doubler.in);
      g.connect(doubler.out, clockwork.in, { after: span.ms(1) });
      g.connect(clockwork.out, sink.left);
      g.connect(counter.out, sink.right, { after: span.ms(1) });
    },
    processes: { a: ['counter'], b: ['doubler'], c: ['clockwork'], d: ['sink'] },
    options: { timeout: span.ms(25), window: 4 },
  },
  'downstream of a node that rarely sends': {
    graph: (g) => {
      const [ticker, sieve, doubler, sink] = [g.node(Ticker), g.node(Sieve), g.node(Doubler), g.node(Sink)];
      g.connect(ticker.out, sieve.in);
      g.connect(sieve.out, doubler.in);
      g.connect(doubler.out, sink.left);
    },
    processes: { a: ['ticker'], b: ['sieve'], c: ['doubler'], d: ['sink'] },
    options: { timeout: span.ms(40), window: 4 },
  },
  'when it sends in the absence of input': {
    graph: (g) => {
      const [counter, watchdog, sink] = [g.node(Counter), g.node(Watchdog), g.node(Sink)];
      g.connect(counter.out, watchdog.in);
      g.connect(watchdog.out, sink.left);
      g.connect(counter.out, sink.right);
    },
    processes: { a: ['counter'], b: ['watchdog'], c: ['sink'] },
    options: { window: 2, timeout: span.ms(20) },
  },
  'next to nodes in the coordinator process': {
    graph: (g) => {
      const [counter, doubler, sink] = [g.node(Counter), g.node(Doubler), g.node(Sink)];
      g.connect(counter.out, doubler.in);
      g.connect(doubler.out, sink.left);
      g.connect(counter.out, sink.right);
    },
    processes: { coordinator: ['counter', 'sink'], b: ['doubler'] },
    options: { window: 8 },
  },
};

const LASTING = new Set(['counter', 'ticker', 'sink']);

const lasting = ({ nodes }: DataflowReport): unknown =>
  Object.fromEntries(Object.entries(nodes).filter(([name]) => LASTING.has(name)));

async function crashAtRandom(cluster: Cluster, names: readonly string[], times: number): Promise<void> {
  const downSince = new Map<string, number>();
  const isOver = (): boolean => cluster.alive.some(({ report }) => report !== undefined);
  while (!cluster.isOver) {
    await cluster.step();
    for (const name of isOver() ? [] : names) {
      const since = downSince.get(name);
      if (since === undefined && times > 0 && cluster.random() < 0.04) {
        cluster.kill(name);
        downSince.set(name, cluster.nowMs);
        times--;
      } else if (since !== undefined && (cluster.random() < 0.2 || cluster.nowMs > since + 6_000)) {
        downSince.delete(name);
        cluster.start(name);
      }
    }
  }
}

describe('a process whose nodes have onCrash: restart', () => {
  it.each(Object.entries(CASES))('resumes its work after a crash %s', async (_, { graph, processes, options = {} }) => {
    const { window: _window, ...rest } = options;
    const alone = new Dataflow({ graph, fast: true, ...rest });
    const expected = await alone.run();
    for (let seed = 1; seed <= 15; seed++) {
      const cluster = Cluster.started({ graph, placement: { processes }, seed, options });
      const mayCrash = Object.keys(processes).filter((name) => !processes[name]!.some((node) => LASTING.has(node)));
      await crashAtRandom(cluster, mayCrash, 1 + (seed % 8));
      const reports = await cluster.run();
      // A process that restarts after the end of the run cannot learn of it.
      for (const name of mayCrash) if (reports[name]?.error?.code === 'DATAFLOW_COORDINATOR_LOST') delete reports[name];
      const { status, stopTag, ...report } = agreed(reports);
      expect(Object.keys(report.nodes).sort()).toEqual(Object.keys(expected.nodes).sort());
      expect({ seed, status, stopTag, nodes: lasting({ status, stopTag, ...report }) }).toEqual({
        seed,
        status: expected.status,
        stopTag: expected.stopTag,
        nodes: lasting(expected),
      });
      expect(cluster.node<Sink>('sink').seen).toEqual(alone.node<Sink>('sink')!.seen);
    }
  });

  it('does not repeat tags up to its checkpoint, even if a receiver is lost', async () => {
    for (const seed of [1, 2, 3]) {
      const cluster = Cluster.started({
        graph: (g) => {
          const [pulse, doubler, sink] = [g.node(Pulse), g.node(Doubler), g.node(Sink)];
          g.connect(pulse.out, doubler.in);
          g.connect(doubler.out, sink.left);
          g.connect(doubler.out, g.node(Sink, { name: 'idle', onCrash: 'treatAsDone' }).left);
        },
        placement: { processes: { a: ['pulse'], b: ['doubler'], c: ['sink'], d: ['idle'] } },
        seed,
        options: { fast: false, timeout: span.seconds(60), window: 64 },
      });
      await cluster.runFor(10_000);
      if (seed > 1) cluster.kill('d');
      await cluster.runFor(20_000);
      cluster.kill('b');
      cluster.start('b');
      // Long enough for the coordinator to see that the process is back.
      await cluster.runFor(20_000);
      if (seed > 2) cluster.kill('b');
      if (seed > 2) cluster.start('b');
      const { status, nodes } = agreed(await cluster.run());
      expect(status).toBe('stopped');
      expect(cluster.node<Sink>('sink').seen.map(([, , left]) => left)).toEqual(
        Array.from({ length: 121 }, (_, at) => 2 + 2 * at),
      );
      // The first 60 or 100 of 121 tags were handled before the crashes.
      expect(nodes['doubler']!.firings).toBeLessThan(seed > 2 ? 25 : 65);
    }
  });

  it('misses no message that is sent to it before it gets its resume point', async () => {
    for (let moment = 1; moment <= 12; moment++) {
      const cluster = Cluster.started({
        graph: (g) => {
          const [pulse, doubler, sink] = [g.node(Pulse), g.node(Doubler), g.node(Sink)];
          g.connect(pulse.out, doubler.in);
          g.connect(doubler.out, sink.left);
        },
        placement: { processes: { coordinator: ['pulse', 'sink'], b: ['doubler'] } },
        seed: moment,
        options: { fast: false, timeout: span.seconds(10) },
      });
      await cluster.runFor(2_200);
      cluster.kill('b');
      await cluster.runFor(2_000);
      cluster.start('b');
      for (let step = 0; step < moment; step++) await cluster.step(1);
      cluster.freeze('b');
      await cluster.runFor(2_000);
      cluster.thaw('b');
      const { status } = agreed(await cluster.run());
      const seen = cluster.node<Sink>('sink').seen.map(([, , left]) => left);
      expect({ moment, status, seen }).toEqual({
        moment,
        status: 'stopped',
        seen: Array.from({ length: 21 }, (_, at) => 2 + 2 * at),
      });
    }
  });
});
