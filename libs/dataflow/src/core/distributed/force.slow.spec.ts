import {
  DataflowNode,
  type DataflowReport,
  type GraphBuilder,
  Input,
  InputPort,
  type NodeContext,
  OnShutdown,
  OnTimer,
  Output,
  OutputPort,
  type ProcessOptions,
  Reaction,
  span,
} from '../index.js';
import { CannotListenError } from '../link/errors/cannot-listen.error.js';
import { deferred, never } from '../run/graph.fixture.js';
import { MemoryNetwork } from '../testing/memory-network.js';
import { agreed, Cluster, ClusterProcess, settle } from './cluster.fixture.js';
import { Counter, Sink, Ticker } from './nodes.fixture.js';

/** Runs a callback of the test for each number. */
@DataflowNode()
class Fragile {
  static act: (value: number, ctx: NodeContext) => void | Promise<void> = () => undefined;
  static hook: () => void | Promise<void> = () => undefined;
  @Input() in!: InputPort<number>;
  @Output() out!: OutputPort<unknown>;
  signal: AbortSignal | undefined;

  @Reaction('in')
  take(ctx: NodeContext): void | Promise<void> {
    this.signal = ctx.signal;
    return Fragile.act(this.in.value!, ctx);
  }

  @OnShutdown()
  stop(): void | Promise<void> {
    return Fragile.hook();
  }
}

const graph = (g: GraphBuilder): void => {
  const [ticker, fragile, sink] = [g.node(Ticker), g.node(Fragile), g.node(Sink)];
  g.connect(ticker.out, fragile.in);
  g.connect(ticker.out, sink.left);
};
const placement = { processes: { a: ['ticker'], b: ['fragile'], c: ['sink'] } };
const start = (options: Partial<ProcessOptions> = {}, seed = 1): Cluster =>
  Cluster.started({ graph, placement, seed, options: { window: 4, ...options } });

const codes = (reports: Record<string, DataflowReport>): unknown[] =>
  Object.values(reports).map(({ status, exitCode, error }) => [status, exitCode, error?.code]);
const forced = (count: number, code: string, exitCode = 1): unknown[] =>
  Array.from({ length: count }, () => ['forced', exitCode, code]);

beforeEach(() => {
  Fragile.act = () => undefined;
  Fragile.hook = () => undefined;
});

describe('a stop by force in several processes', () => {
  it('follows a reaction that throws, and shuts down every node', async () => {
    for (let seed = 1; seed <= 5; seed++) {
      const cluster = start({}, seed);
      Fragile.act = (value) => {
        if (value === 7) throw new Error('seven');
      };
      const sink = cluster.node<Sink>('sink');
      const reports = await cluster.run();
      expect(codes(reports)).toEqual(forced(4, 'DATAFLOW_REACTION_FAILED'));
      expect(reports['a']!.error!.message).toContain('seven');
      expect(sink.shutdowns).toBe(1);
    }
  });

  it('carries the exit code of the first failure', async () => {
    const cluster = start();
    Fragile.act = (value, ctx) => {
      if (value === 3) ctx.fail('no more', 42);
    };
    const reports = await cluster.run();
    expect(codes(reports)).toEqual(forced(4, 'DATAFLOW_GRAPH_FAILED', 42));
  });

  it('does not wait for a reaction that never settles, and aborts its signal', async () => {
    const cluster = start();
    Fragile.act = (value) => (value === 3 ? never() : undefined);
    await cluster.runFor(1_000);
    const fragile = cluster.node<Fragile>('fragile');
    expect(fragile.signal!.aborted).toBe(false);
    void cluster.get('c').dataflow.forceStop('enough', 9);
    const reports = await cluster.run();
    expect(codes(reports)).toEqual(forced(4, 'DATAFLOW_STOP_FORCED', 9));
    expect(fragile.signal!.aborted).toBe(true);
  });

  it('limits the time of shutdown methods', async () => {
    const cluster = start({ forceTimeoutMs: 500, fast: false });
    Fragile.hook = never;
    await cluster.runFor(500);
    const before = cluster.nowMs;
    void cluster.get('a').dataflow.forceStop('enough');
    const reports = await cluster.run();
    expect(codes(reports)).toEqual(forced(4, 'DATAFLOW_STOP_FORCED'));
    expect(cluster.nowMs - before).toBeLessThan(3_000);
    expect(cluster.get('b').logger.of('error').join()).toContain('did not finish within 500 ms');
  });

  it("reaches the other processes when the coordinator's process requests it", async () => {
    const cluster = start({ fast: false });
    await cluster.runFor(500);
    void cluster.get('coordinator').dataflow.forceStop('enough', 5);
    expect(codes(await cluster.run())).toEqual(forced(4, 'DATAFLOW_STOP_FORCED', 5));
  });

  it('ends the joined processes when it is requested before all have joined', async () => {
    for (const name of ['a', 'coordinator']) {
      const cluster = new Cluster({ graph, placement });
      for (const one of ['a', 'b', 'coordinator']) cluster.start(one);
      await cluster.runFor(500);
      const before = cluster.nowMs;
      void cluster.get(name).dataflow.forceStop('enough', 3);
      expect(codes(await cluster.run())).toEqual(forced(3, 'DATAFLOW_STOP_FORCED', 3));
      expect(cluster.nowMs - before).toBeLessThan(3_000);
    }
  });

  it('ends the process when it is requested before the links are open', async () => {
    const opening = deferred();
    for (const name of ['a', 'coordinator']) {
      const cluster = new Cluster({ graph, placement });
      const { network } = cluster;
      const open = (...args: Parameters<typeof network.open>) => opening.promise.then(() => network.open(...args));
      const { dataflow } = cluster.start(name, { transport: { open } });
      await settle();
      void dataflow.forceStop('enough', 3);
      expect(codes(await cluster.run())).toEqual(forced(1, 'DATAFLOW_STOP_FORCED', 3));
    }
    opening.resolve();
  });

  it('follows a value that cannot be sent, even if the node catches the error', async () => {
    @DataflowNode()
    class Big {
      @Output() out!: OutputPort<string>;
      caught: unknown;

      @OnTimer({ offset: span.ms(1) })
      tick(): void {
        try {
          this.out.set('x'.repeat(5_000));
        } catch (error) {
          this.caught = error;
        }
      }
    }
    @DataflowNode()
    class Small {
      @Input() in!: InputPort<string>;
    }
    const cluster = Cluster.started({
      graph: (g) => g.connect(g.node(Big).out, g.node(Small).in),
      placement: { processes: { a: ['big'], b: ['small'] } },
      options: { maxMessageBytes: 2_000 },
    });
    const node = cluster.node<Big>('big');
    expect(codes(await cluster.run())).toEqual(forced(3, 'DATAFLOW_OVERSIZED_FRAME'));
    expect(node.caught).toMatchObject({ code: 'DATAFLOW_OVERSIZED_FRAME' });
  });
});

describe('joining a run', () => {
  it('fails in all processes with the names of the missing ones', async () => {
    const cluster = new Cluster({ graph, placement, options: { joinTimeoutMs: 3_000 } });
    for (const name of ['a', 'coordinator']) cluster.start(name);
    const reports = await cluster.run();
    expect(codes(reports)).toEqual(forced(2, 'DATAFLOW_PROCESSES_MISSING'));
    expect(reports['a']!.error!.message).toContain('did not join within 3 s: b, c.');
  });

  it('fails when the coordinator is missing', async () => {
    const cluster = new Cluster({ graph, placement, options: { joinTimeoutMs: 3_000 } });
    cluster.start('a');
    const { a } = await cluster.run();
    expect(a!.error!.message).toContain('did not join within 3 s: coordinator.');
  });

  it('fails in all processes when graphs differ', async () => {
    const cluster = new Cluster({ graph, placement });
    for (const name of ['a', 'c', 'coordinator']) cluster.start(name);
    cluster.start('b', {
      graph: (g) => {
        graph(g);
        g.connect(g.node(Counter).out, g.node(Sink, { name: 'another' }).left);
      },
      placement: { processes: { ...placement.processes, b: ['fragile', 'counter', 'another'] } },
    });
    const reports = await cluster.run();
    expect(codes(reports)).toEqual(forced(4, 'DATAFLOW_GRAPH_VERSION'));
    expect(reports['a']!.error!.message).toContain('Process "b" has version');
  });

  it('fails when the links cannot be opened', async () => {
    const cluster = new Cluster({ graph, placement });
    const taken = new CannotListenError('127.0.0.1:80', new Error('in use'));
    cluster.start('a', { transport: { open: () => Promise.reject(taken) } });
    cluster.start('b', {
      transport: {
        open: () => {
          throw new Error('no network');
        },
      },
    });
    const reports = await cluster.run();
    expect(reports['a']).toMatchObject({ status: 'forced', exitCode: 1, error: taken });
    expect(reports['b']!.error).toMatchObject({ code: 'DATAFLOW_LINK_FAILED' });
    expect(reports['b']!.error!.message).toContain('no network');
  });

  it('works for processes without nodes', async () => {
    const cluster = Cluster.started({
      graph: (g) => g.connect(g.node(Counter).out, g.node(Sink).left),
      placement: { processes: { a: ['counter'], b: [], c: ['sink'] } },
    });
    expect(agreed(await cluster.run())).toMatchObject({ status: 'completed', exitCode: 0 });
  });

  it('does not start when a run is only described', () => {
    const network = new MemoryNetwork();
    const { dataflow, clock } = new ClusterProcess('coordinator', { graph, placement }, network, 0, {});
    expect(dataflow.describe().nodes.map((node) => [node.name, node.process])).toEqual([
      ['ticker', 'a'],
      ['fragile', 'b'],
      ['sink', 'c'],
    ]);
    expect([clock.pendingTimers, network.pending]).toEqual([0, []]);
  });
});
