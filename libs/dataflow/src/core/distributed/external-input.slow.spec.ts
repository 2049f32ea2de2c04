import {
  type Arrival,
  Dataflow,
  DataflowNode,
  type GraphBuilder,
  Input,
  InputPort,
  LogicalAction,
  type NodeContext,
  OnStart,
  Output,
  OutputPort,
  Reaction,
  span,
} from '../index.js';
import { Recorder } from '../run/graph.fixture.js';
import { agreed, Cluster } from './cluster.fixture.js';
import { Counter, Sensor, Sink, Ticker } from './nodes.fixture.js';

const values = (recorder: Recorder): unknown[] => recorder.seen.map(([, , value]) => value);

/** A sensor and a ticker whose values meet in other processes. */
const observed = (g: GraphBuilder): void => {
  const [sensor, ticker, sink, log] = [g.node(Sensor), g.node(Ticker), g.node(Sink), g.node(Recorder)];
  g.connect(sensor.out, sink.left);
  g.connect(ticker.out, sink.right);
  g.connectPhysical(sensor.out, log.in);
};
const placement = { processes: { a: ['sensor'], b: ['ticker'], c: ['sink'], d: ['recorder'] } };

describe('a physical action in several processes', () => {
  it.each([true, false])('loses no input that was accepted before a stop (fast: %s)', async (fast) => {
    for (let seed = 1; seed <= 15; seed++) {
      const cluster = Cluster.started({ graph: observed, placement, seed, options: { fast, window: 8 } });
      const sensor = cluster.node<Sensor>('sensor');
      const accepted: number[] = [];
      let isStopping = false;
      for (let at = 0; !cluster.isOver; at++) {
        await cluster.step();
        if (cluster.random() < 0.2 && sensor.reading.schedule(at)) accepted.push(at);
        if (!isStopping && accepted.length > 10 && cluster.random() < 0.02) {
          isStopping = true;
          void cluster.get('b').dataflow.requestShutdown();
        }
      }
      const { status } = agreed(await cluster.run());
      expect({ seed, status }).toEqual({ seed, status: 'stopped' });
      expect(cluster.node<Sink>('sink').seen.flatMap(([, , left]) => left ?? [])).toEqual(accepted);
      expect(sensor.reading.schedule(1)).toBe(false);
    }
  });

  it.each([true, false])('can be replayed in one process and in several (fast: %s)', async (fast) => {
    for (let seed = 1; seed <= 6; seed++) {
      const options = { fast, window: 8, record: true };
      const cluster = Cluster.started({ graph: observed, placement, seed, options });
      const sensor = cluster.node<Sensor>('sensor');
      let count = 0;
      while (!cluster.isOver) {
        await cluster.step();
        if (cluster.random() < 0.2 && sensor.reading.schedule(count)) count++;
        if (count === 20)
          void cluster
            .get('c')
            .dataflow.requestShutdown()
            .catch(() => undefined);
      }
      const { digest, stopTag, status, nodes } = agreed(await cluster.run());
      const recordings = cluster.alive.map(({ dataflow }) => dataflow.recording());
      for (const { startedAtMs, stopTag: recorded } of recordings) {
        expect({ startedAtMs, recorded }).toEqual({ startedAtMs: recordings[0]!.startedAtMs, recorded: stopTag });
      }
      const arrivals = recordings.flatMap((one): readonly Arrival[] => one.arrivals);
      const replay = { ...recordings[0]!, arrivals };
      const again = await new Dataflow({ graph: observed, fast: true, replay }).run();
      expect({ seed, ...again }).toMatchObject({ seed, status, stopTag, nodes, digest });
      const dispersed = Cluster.started({ graph: observed, placement, seed, options: { replay } });
      expect({ seed, ...agreed(await dispersed.run()) }).toMatchObject({ seed, status, stopTag, nodes, digest });
    }
  });

  it('costs no messages while it is idle', async () => {
    const graph = (g: GraphBuilder): void => {
      const [sensor, log, sink] = [g.node(Sensor), g.node(Recorder), g.node(Sink)];
      g.connectPhysical(sensor.out, log.in);
      g.connect(sensor.out, sink.left, { after: span.ms(1) });
    };
    const processes = { a: ['sensor'], b: ['recorder'], c: ['sink'] };
    const idleFor = async (idleMs: number, fast: boolean): Promise<number> => {
      const cluster = Cluster.started({ graph, placement: { processes }, options: { fast } });
      await cluster.runFor(5_000);
      cluster.node<Sensor>('sensor').reading.schedule(1);
      await cluster.runFor(idleMs);
      cluster.node<Sensor>('sensor').reading.close();
      const { status, controlMessages } = agreed(await cluster.run());
      expect(status).toBe('completed');
      return controlMessages;
    };
    for (const fast of [true, false]) {
      // The order at the end may vary, which makes a difference of one or two messages.
      expect(await idleFor(300_000, fast)).toBeLessThan(3 + (await idleFor(1_000, fast)));
    }
  });

  it('keeps the run open until it is closed', async () => {
    for (const fast of [true, false]) {
      const cluster = Cluster.started({
        graph: (g) => g.connect(g.node(Sensor).out, g.node(Recorder).in),
        placement: { processes: { a: ['sensor'], b: ['recorder'] } },
        options: { fast },
      });
      await cluster.runFor(60_000);
      expect(cluster.isOver).toBe(false);
      const { reading } = cluster.node<Sensor>('sensor');
      reading.schedule(7);
      reading.close();
      expect(agreed(await cluster.run()).status).toBe('completed');
      expect(values(cluster.node<Recorder>('recorder'))).toEqual([7]);
    }
  });

  it('holds up other processes in real time only as long as the clock requires', async () => {
    const cluster = Cluster.started({ graph: observed, placement, options: { fast: false, timeout: span.ms(500) } });
    const sink = cluster.node<Sink>('sink');
    await cluster.runFor(300);
    expect(sink.seen.at(-1)![3]).toBeGreaterThan(200);
    const { status, stopTag } = agreed(await cluster.run());
    expect({ status, stopTag }).toEqual({ status: 'stopped', stopTag: { time: span.ms(500), microstep: 0 } });
    expect(sink.seen.at(-1)![3]).toBe(501);
  });
});

/** Passes a counter around a cycle with physical connections, up to 40. */
@DataflowNode()
class Wheel {
  @Input() in!: InputPort<number>;
  @Output() out!: OutputPort<number>;
  @LogicalAction() turn!: LogicalAction<number>;

  @OnStart()
  start({ node }: NodeContext): void {
    if (node === 'w1') this.turn.schedule(span.ms(1), 1);
  }

  @Reaction('turn', 'in')
  roll(): void {
    const value = Math.max(this.turn.value ?? 0, this.in.value ?? 0);
    if (value < 40) this.out.set(value + 1);
  }
}

describe('a physical connection between processes', () => {
  it('keeps the run from completing while a message is in flight', async () => {
    const graph = (g: GraphBuilder): void => {
      const [one, two, three] = ['w1', 'w2', 'w3'].map((name) => g.node(Wheel, { name }));
      g.connectPhysical(one!.out, two!.in);
      g.connect(two!.out, three!.in, { after: span.ms(1) });
      g.connectPhysical(three!.out, one!.in);
      g.connectPhysical(two!.out, g.node(Recorder).in);
    };
    for (let seed = 1; seed <= 30; seed++) {
      const processes = {
        a: ['w1'],
        b: ['w2'],
        c: ['w3'],
        ...(seed % 2 ? { d: ['recorder'] } : { coordinator: ['recorder'] }),
      };
      const cluster = Cluster.started({ graph, placement: { processes }, seed, options: { window: 1 + (seed % 3) } });
      const { status } = agreed(await cluster.run());
      expect({ seed, status }).toEqual({ seed, status: 'completed' });
      expect(values(cluster.node<Recorder>('recorder'))).toEqual(Array.from({ length: 13 }, (_, at) => 3 + 3 * at));
    }
  });

  it('loses no message to a process that starts later', async () => {
    @DataflowNode()
    class Early {
      @Output() out!: OutputPort<string>;

      @OnStart()
      start(): void {
        this.out.set('early');
      }
    }
    const graph = (g: GraphBuilder): void => g.connectPhysical(g.node(Early).out, g.node(Recorder).in);
    for (let seed = 1; seed <= 20; seed++) {
      const cluster = Cluster.started({ graph, placement: { processes: { a: ['early'], b: ['recorder'] } }, seed });
      expect(agreed(await cluster.run()).status).toBe('completed');
      expect({ seed, values: values(cluster.node<Recorder>('recorder')) }).toEqual({ seed, values: ['early'] });
    }
  });

  it('keeps the run from completing even if another process is removed', async () => {
    const graph = (g: GraphBuilder): void => {
      const [counter, log, idle] = [g.node(Counter), g.node(Recorder), g.node(Sink, { onCrash: 'treatAsDone' })];
      g.connectPhysical(counter.out, log.in);
      g.connect(counter.out, idle.left);
    };
    for (let seed = 1; seed <= 20; seed++) {
      const processes = { a: ['counter'], b: ['recorder'], c: ['sink'] };
      const cluster = Cluster.started({ graph, placement: { processes }, seed });
      await cluster.until(() => cluster.get('a').dataflow.describe().nodes[0]!.tags > 0);
      cluster.kill('c');
      // Takes longer than the detection of the lost process.
      cluster.freeze('b');
      await cluster.until(() => cluster.get('coordinator').logger.of('warn').length > 0);
      cluster.thaw('b');
      const { status } = agreed(await cluster.run());
      expect({ seed, status }).toEqual({ seed, status: 'completed' });
      expect(values(cluster.node<Recorder>('recorder'))).toHaveLength(Counter.LAST);
    }
  });
});
