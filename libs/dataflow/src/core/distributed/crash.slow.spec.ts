import {
  Dataflow,
  DataflowNode,
  type DataflowReport,
  type GraphBuilder,
  Input,
  InputPort,
  type NodeOptions,
  OnShutdown,
  OnStart,
  Output,
  OutputPort,
  type ProcessOptions,
  Reaction,
  span,
} from '../index.js';
import { agreed, Cluster } from './cluster.fixture.js';
import { Counter, Doubler, Pulse, Sink } from './nodes.fixture.js';

const diamond =
  ({ onCrash }: NodeOptions = {}) =>
  (g: GraphBuilder): void => {
    const [counter, doubler, sink] = [g.node(Counter), g.node(Doubler, { onCrash: onCrash ?? 'fail' }), g.node(Sink)];
    g.connect(counter.out, doubler.in, { after: span.ms(1) });
    g.connect(doubler.out, sink.left);
    g.connect(counter.out, sink.right);
  };
const placement = { processes: { a: ['counter'], b: ['doubler'], c: ['sink'] } };

const LOST = 'DATAFLOW_PROCESS_LOST';

const start = (seed: number, node: NodeOptions = {}, options: Partial<ProcessOptions> = {}): Cluster =>
  Cluster.started({ graph: diamond(node), placement, seed, options });

const steps = async (cluster: Cluster, count: number): Promise<void> => {
  for (let at = 0; at < count && !cluster.isOver; at++) await cluster.step();
};

/** Waits until the sink has seen three values. */
const midway = (cluster: Cluster): Promise<void> => cluster.until(() => cluster.node<Sink>('sink').seen.length >= 3);

const codes = (reports: Record<string, DataflowReport>): Record<string, string | undefined> =>
  Object.fromEntries(Object.entries(reports).map(([name, { error }]) => [name, error?.code]));

const allForced = (reports: Record<string, DataflowReport>, exitCode = 1): void => {
  for (const report of Object.values(reports))
    expect(report).toMatchObject({ status: 'forced', exitCode, stopTag: undefined });
};

describe('a killed process', () => {
  it('ends the run by default, within crashAfterMs, with an error that names its nodes', async () => {
    for (let seed = 1; seed <= 10; seed++) {
      const cluster = start(seed);
      await cluster.until(() => cluster.node<Sink>('sink').seen.length >= seed);
      cluster.kill('b');
      const killedAt = cluster.nowMs;
      const sink = cluster.node<Sink>('sink');
      const reports = await cluster.run();
      allForced(reports);
      expect(codes(reports)).toEqual({ a: LOST, c: LOST, coordinator: LOST });
      expect(reports['c']!.error!.message).toContain('Process "b" (nodes: doubler) is lost: no connection for 5 s');
      expect(cluster.nowMs - killedAt).toBeLessThan(7_000);
      expect(sink.shutdowns).toBe(1);
    }
  });

  it('does not stop the run with onCrash: treatAsDone, no matter which of its messages are lost', async () => {
    const alone = await new Dataflow({ graph: diamond(), fast: true }).run();
    for (let seed = 1; seed <= 40; seed++) {
      const cluster = start(seed, { onCrash: 'treatAsDone' }, { window: [1, 3, 1_024][seed % 3]! });
      await cluster.until(() => cluster.get('a').dataflow.describe().nodes[0]!.tags > 0);
      await steps(cluster, seed * 4);
      cluster.kill('b');
      const { status, exitCode, nodes } = agreed(await cluster.run());
      expect({ seed, status, exitCode }).toEqual({ seed, status: 'completed', exitCode: 0 });
      expect(nodes['counter']).toEqual(alone.nodes['counter']);
      const rights = cluster.node<Sink>('sink').seen.flatMap(([, , , right]) => right ?? []);
      expect(rights).toEqual(Array.from({ length: Counter.LAST }, (_, at) => at + 1));
    }
  });

  it('ends the run even if its own nodes have shut down, because others may never stop', async () => {
    let hasShutDown = false;
    @DataflowNode()
    class Once {
      @Output() out!: OutputPort<number>;
      @OnStart() start(): void {
        this.out.set(1);
      }
      @OnShutdown() end(): void {
        hasShutDown = true;
      }
    }
    @DataflowNode()
    class Stuck {
      @Input() in!: InputPort<number>;
      @Reaction('in') never(): Promise<void> {
        return new Promise(() => undefined);
      }
    }
    const graph = (g: GraphBuilder): void => {
      const [once, stuck] = [g.node(Once), g.node(Stuck)];
      g.connect(once.out, stuck.in);
    };
    const cluster = Cluster.started({ graph, placement: { processes: { a: ['once'], b: ['stuck'] } } });
    await cluster.until(() => cluster.get('b').dataflow.describe().nodes[1]!.running !== undefined);
    void cluster.get('a').dataflow.requestShutdown();
    await cluster.until(() => hasShutDown);
    await steps(cluster, 50);
    cluster.kill('a');
    expect(codes(await cluster.run())).toEqual({ b: LOST, coordinator: LOST });
  });

  it('must rejoin in time with onCrash: restart', async () => {
    const cluster = start(1, { onCrash: 'restart' }, { restartTimeoutMs: 10_000 });
    await midway(cluster);
    cluster.kill('b');
    const reports = await cluster.run();
    allForced(reports);
    expect(codes(reports)).toEqual({ a: LOST, c: LOST, coordinator: LOST });
    expect(reports['coordinator']!.error!.message).toContain('it did not rejoin within 10 s');
  });

  it('must rejoin in time even if it is killed again before it has rejoined', async () => {
    for (let count = 1; count <= 25; count++) {
      const cluster = start(count, { onCrash: 'restart' }, { restartTimeoutMs: 10_000, window: 1 });
      await midway(cluster);
      cluster.kill('b');
      cluster.start('b');
      await steps(cluster, count);
      cluster.kill('b');
      const reports = await cluster.run();
      expect(codes(reports)).toEqual({ a: LOST, c: LOST, coordinator: LOST });
    }
  });

  it('ends the run when it returns although its nodes have onCrash: fail', async () => {
    const cluster = start(2);
    await midway(cluster);
    cluster.kill('b');
    await steps(cluster, 3);
    cluster.start('b');
    const { b, ...reports } = await cluster.run();
    allForced(reports);
    expect(reports['a']!.error!.message).toContain('it was restarted and lost its state');
    expect(b).toMatchObject({ status: 'forced', exitCode: 1 });
  });

  it('may be started again before all processes have joined, with any policy', async () => {
    const cluster = new Cluster({ graph: diamond(), placement });
    for (const name of ['a', 'b', 'coordinator']) cluster.start(name);
    await cluster.runFor(100);
    cluster.kill('b');
    await cluster.runFor(8_000);
    cluster.start('b');
    cluster.start('c');
    expect(agreed(await cluster.run()).status).toBe('completed');
  });

  it('ends all processes when it runs the coordinator', async () => {
    for (let seed = 1; seed <= 5; seed++) {
      const cluster = start(seed);
      await midway(cluster);
      cluster.kill('coordinator');
      const killedAt = cluster.nowMs;
      const reports = await cluster.run();
      allForced(reports);
      const lost = 'DATAFLOW_COORDINATOR_LOST';
      expect(codes(reports)).toEqual({ a: lost, b: lost, c: lost });
      expect(cluster.nowMs - killedAt).toBeLessThan(8_000);
    }
  });

  it('ends all processes when it runs the coordinator, even if it is restarted', async () => {
    const cluster = start(3);
    await midway(cluster);
    cluster.kill('coordinator');
    cluster.start('coordinator', { joinTimeoutMs: 2_000 });
    const { coordinator, ...reports } = await cluster.run();
    allForced(reports);
    expect(reports['a']!.error!.message).toContain('it was restarted');
    expect(coordinator!.error!.message).toContain('did not join within 2 s: a, b, c');
  });
});

describe('a silent process', () => {
  it('counts as lost', async () => {
    const cluster = start(4);
    await midway(cluster);
    cluster.freeze('b');
    const frozenAt = cluster.nowMs;
    await cluster.until(() => ['a', 'c', 'coordinator'].every((name) => cluster.get(name).report));
    expect(cluster.nowMs - frozenAt).toBeLessThan(12_000);
    expect(cluster.get('c').report!.error!.message).toContain('no frame received for');
    cluster.thaw('b');
    const reports = await cluster.run();
    allForced(reports);
  });

  it('continues with its memory when it wakes up in time, with onCrash: restart', async () => {
    const alone = await new Dataflow({ graph: diamond(), fast: true }).run();
    for (let seed = 1; seed <= 5; seed++) {
      const cluster = start(seed, { onCrash: 'restart' });
      await midway(cluster);
      cluster.freeze('b');
      await cluster.runFor(20_000);
      cluster.thaw('b');
      const { status, digest } = agreed(await cluster.run());
      expect({ seed, status, digest }).toEqual({ seed, status: 'completed', digest: alone.digest });
    }
  });

  it('is ignored with onCrash: treatAsDone, and ends itself', async () => {
    const cluster = start(5, { onCrash: 'treatAsDone' });
    await midway(cluster);
    cluster.freeze('b');
    await cluster.until(() => ['a', 'c', 'coordinator'].every((name) => cluster.get(name).report));
    cluster.thaw('b');
    const { b, ...reports } = await cluster.run();
    expect(agreed(reports)).toMatchObject({ status: 'completed', exitCode: 0 });
    expect(b!.error!.code).toBe('DATAFLOW_COORDINATOR_LOST');
  });

  it('ends itself while the others continue without it', async () => {
    const cluster = Cluster.started({
      graph: (g) => {
        const [pulse, doubler, sink] = [g.node(Pulse), g.node(Doubler, { onCrash: 'treatAsDone' }), g.node(Sink)];
        g.connect(pulse.out, doubler.in);
        g.connect(doubler.out, sink.left);
      },
      placement: { processes: { a: ['pulse'], b: ['doubler'], c: ['sink'] } },
      options: { fast: false },
    });
    await cluster.runFor(3_000);
    cluster.freeze('b');
    await cluster.runFor(10_000);
    cluster.thaw('b');
    await cluster.until(() => cluster.get('b').report !== undefined);
    expect(cluster.get('b').report!.error!.code).toBe('DATAFLOW_COORDINATOR_LOST');
    expect(cluster.get('a').report).toBeUndefined();
    void cluster.get('a').dataflow.requestShutdown();
    const { b: _, ...reports } = await cluster.run();
    expect(agreed(reports)).toMatchObject({ status: 'stopped', exitCode: 0 });
  });
});
