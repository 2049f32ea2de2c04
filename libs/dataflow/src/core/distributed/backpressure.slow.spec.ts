import {
  Dataflow,
  DataflowNode,
  type GraphBuilder,
  Input,
  InputPort,
  PhysicalAction,
  Reaction,
  span,
} from '../index.js';
import { type Deferred, deferred, Recorder } from '../run/graph.fixture.js';
import { agreed, Cluster, settle } from './cluster.fixture.js';
import { Doubler, Sink, Ticker } from './nodes.fixture.js';

/** Finishes a message only when the test opens its gate. */
@DataflowNode()
class Slow {
  @Input() in!: InputPort<number>;
  readonly taken: number[] = [];
  gate: Deferred<void> = deferred();

  @Reaction('in')
  async take(): Promise<void> {
    this.taken.push(this.in.value!);
    await this.gate.promise;
    this.gate = deferred();
  }
}

describe('a slow receiver', () => {
  it.each([1, 2, 5, 16])('lets its sender get ahead by at most %i messages', async (window) => {
    const graph = (g: GraphBuilder): void => {
      const [ticker, slow] = [g.node(Ticker), g.node(Slow)];
      g.connect(ticker.out, slow.in);
    };
    const options = { window, timeout: span.ms(60) };
    const placement = { processes: { a: ['ticker'], b: ['slow'] } };
    const cluster = Cluster.started({ graph, placement, options, seed: window });
    const slow = cluster.node<Slow>('slow');
    const sent = (): number => cluster.get('a').dataflow.describe().nodes[0]!.tags;
    for (let count = 1; count <= 60; count++) {
      await cluster.until(() => slow.taken.length === count);
      await cluster.runFor(2_000);
      // The receiver handles one more message, which no longer counts as waiting.
      expect(sent() - slow.taken.length).toBeLessThanOrEqual(window);
      expect(cluster.get('b').dataflow.describe().nodes[1]!.queued).toBeLessThanOrEqual(window);
      slow.gate.resolve();
      await settle();
    }
    slow.gate.resolve();
    const { status, digest } = agreed(await untilOver(cluster, slow));
    const alone = await new Dataflow({ graph: (g) => graph(g), fast: true, timeout: span.ms(60) }, impatient).run();
    expect({ status, digest }).toEqual({ status: 'stopped', digest: alone.digest });
  });

  /**
   * S sends to R through T without delay, and directly with a delay. R cannot handle the late value before S has
   * advanced.
   */
  const reconvergent = (g: GraphBuilder): void => {
    const [ticker, doubler, sink] = [g.node(Ticker), g.node(Doubler, { onCrash: 'fail' }), g.node(Sink)];
    g.connect(ticker.out, doubler.in);
    g.connect(doubler.out, sink.left);
    g.connect(ticker.out, sink.right, { after: span.ms(100) });
  };

  it.each([1, 16])('does not block a sender that must advance first, with a window of %i', async (window) => {
    const options = { timeout: span.ms(150), fast: true };
    const alone = await new Dataflow({ graph: reconvergent, ...options }).run();
    for (let seed = 1; seed <= 4; seed++) {
      const placement = { processes: { s: ['ticker'], t: ['doubler'], r: ['sink'] } };
      const cluster = Cluster.started({ graph: reconvergent, placement, seed, options: { ...options, window } });
      const { status, digest } = agreed(await cluster.run());
      expect({ seed, status, digest }).toEqual({ seed, status: alone.status, digest: alone.digest });
    }
  });

  it('does not block a sender that must advance first while another process waits for external input', async () => {
    @DataflowNode()
    class Aloof {
      @PhysicalAction() reading!: PhysicalAction<number>;
    }
    const graph = (g: GraphBuilder): void => {
      reconvergent(g);
      g.node(Aloof);
    };
    const placement = { processes: { s: ['ticker'], t: ['doubler'], r: ['sink'], x: ['aloof'] } };
    const cluster = Cluster.started({ graph, placement, options: { window: 16 } });
    await cluster.until(() => cluster.node<Sink>('sink').seen.length >= 150);
    void cluster.get('x').dataflow.requestShutdown();
    expect(agreed(await cluster.run()).status).toBe('stopped');
    expect(cluster.node<Sink>('sink').seen[149]).toEqual([span.ms(149), 0, 300, 50]);
  });

  it('holds up its sender over a physical connection too', async () => {
    const graph = (g: GraphBuilder): void => g.connectPhysical(g.node(Ticker).out, g.node(Recorder).in);
    const placement = { processes: { a: ['ticker'], b: ['recorder'] } };
    const cluster = Cluster.started({ graph, placement, options: { window: 3, timeout: span.ms(50) } });
    cluster.freeze('b');
    await cluster.runFor(1_000);
    cluster.thaw('b');
    await cluster.until(() => cluster.node<Recorder>('recorder').seen.length > 0);
    cluster.freeze('b');
    await cluster.runFor(3_000);
    const { tags } = cluster.get('a').dataflow.describe().nodes[0]!;
    expect(tags - cluster.node<Recorder>('recorder').seen.length).toBeLessThanOrEqual(3 + 3);
    cluster.thaw('b');
    agreed(await cluster.run());
  });
});

const impatient = (type: abstract new () => object): object => {
  const node = new (type as new () => object)();
  if (node instanceof Slow)
    Object.defineProperty(node, 'gate', { get: () => ({ promise: Promise.resolve() }), set: () => undefined });
  return node;
};

async function untilOver(cluster: Cluster, slow: Slow): ReturnType<Cluster['run']> {
  while (!cluster.isOver) {
    slow.gate.resolve();
    await cluster.step();
  }
  return cluster.run();
}
