import { ManualClock } from '@roost/time/testing';
import {
  Dataflow,
  DataflowNode,
  type DataflowOptions,
  type DataflowReport,
  type GraphBuilder,
  Input,
  InputPort,
  type NodeContext,
  OnShutdown,
  OnTimer,
  Output,
  OutputPort,
  PhysicalAction,
  Reaction,
  type Recording,
  RecordingMismatchError,
  span,
} from '../index.js';
import { at, type Deferred, deferred, RecordingLogger } from './graph.fixture.js';

/** Uses everything that can differ between runs: time, random numbers and external input. */
@DataflowNode()
class Sensor {
  @PhysicalAction() reading!: PhysicalAction<{ value: number }>;
  @Output() out!: OutputPort<unknown>;
  readonly dates: string[] = [];
  gate: Deferred<void> | undefined;

  @Reaction('reading')
  async pass(ctx: NodeContext): Promise<void> {
    this.dates.push(ctx.date.toISOString());
    const { value } = this.reading.value!;
    this.out.set([value, ctx.random(), ctx.id(), ctx.date.getTime()]);
    await this.gate?.promise;
    if (value < 0) ctx.requestShutdown();
    if (value > 1_000) ctx.fail('too much', 3);
  }

  @OnTimer({ period: span.ms(5) })
  tick(): void {}
}

@DataflowNode()
class Sink {
  @Input() logical!: InputPort<unknown>;
  @Input() physical!: InputPort<unknown>;
  readonly seen: [number, number, string][] = [];
  isOver = false;

  @Reaction('logical')
  one({ now }: NodeContext): void {
    this.seen.push([now.time, now.microstep, 'logical']);
  }
  @Reaction('physical')
  other({ now }: NodeContext): void {
    this.seen.push([now.time, now.microstep, 'physical']);
  }
  @OnShutdown() end(): void {
    this.isOver = true;
  }
}

const graph = (g: GraphBuilder): void => {
  const [sensor, sink] = [g.node(Sensor), g.node(Sink)];
  g.connect(sensor.out, sink.logical, { after: span.ms(1) });
  g.connectPhysical(sensor.out, sink.physical);
};

interface Run {
  readonly dataflow: Dataflow;
  readonly clock: ManualClock;
  readonly sensor: Sensor;
  readonly run: Promise<DataflowReport>;
}

const start = (options: Partial<DataflowOptions> = {}): Run => {
  const clock = new ManualClock({ now: Date.UTC(2026, 0, 1) });
  const logger = new RecordingLogger();
  const dataflow = new Dataflow({ graph, clock, logger, record: true, ...options });
  const run = dataflow.run();
  return { dataflow, clock, run, sensor: dataflow.node<Sensor>('sensor')! };
};

/** Replays a recording that went through JSON, on another day. */
const replay = async (recording: Recording, options: Partial<DataflowOptions> = {}) => {
  const clock = new ManualClock({ now: Date.UTC(2030, 5, 5) });
  const logger = new RecordingLogger();
  const kept = JSON.parse(JSON.stringify(recording)) as Recording;
  const dataflow = new Dataflow({ graph, clock, logger, fast: true, seed: 'ignored', replay: kept, ...options });
  const report = await dataflow.run();
  return { dataflow, report, logger, sink: dataflow.node<Sink>('sink')! };
};

/** Sends some readings at irregular times. */
const feed = async ({ clock, sensor }: Run, values: readonly number[]) => {
  for (const value of values) {
    await clock.advanceAsync(1.7);
    sensor.reading.schedule({ value });
    if (value % 2 === 0) sensor.reading.schedule({ value: value + 0.5 });
  }
  await clock.advanceAsync(3);
};

describe('replay', () => {
  it('of a stopped run has the same trace', async () => {
    const one = start({ seed: 'x' });
    await feed(one, [1, 2, 3]);
    await one.dataflow.requestShutdown({ at: span.ms(20) });
    await one.clock.advanceAsync(20);
    const report = await one.run;
    const again = await replay(one.dataflow.recording());
    expect(again.report).toEqual(report);
    expect(again.sink.seen).toEqual(one.dataflow.node<Sink>('sink')!.seen);
    expect(again.sink.seen.filter(([, , how]) => how === 'physical')).toHaveLength(4);
    expect(again.sink.isOver).toBe(true);
    expect(again.dataflow.node<Sensor>('sensor')!.dates).toEqual(one.sensor.dates);
    expect(again.report.status).toBe('stopped');
  });

  it('of a completed run has the same trace', async () => {
    @DataflowNode({ name: 'sensor' })
    class Finite {
      @PhysicalAction() reading!: PhysicalAction<number>;
      @Output() out!: OutputPort<unknown>;
      @Reaction('reading') pass(): void {
        this.out.set(this.reading.value);
      }
    }
    const finite = (g: GraphBuilder) => g.connectPhysical(g.node(Finite).out, g.node(Sink).physical);
    const one = start({ graph: finite });
    const sensor = one.dataflow.node<Finite>('sensor')!;
    await one.clock.advanceAsync(3);
    sensor.reading.schedule(5);
    sensor.reading.close();
    const report = await one.run;
    const again = await replay(one.dataflow.recording(), { graph: finite });
    expect(again.report).toEqual(report);
    expect(report.status).toBe('completed');
  });

  it('of a run that a node stopped has the same trace, even with more input accepted before the stop', async () => {
    const one = start();
    one.sensor.gate = deferred();
    await one.clock.advanceAsync(2);
    one.sensor.reading.schedule({ value: -1 });
    await one.clock.advanceAsync(6);
    one.sensor.reading.schedule({ value: 7 });
    one.sensor.gate.resolve();
    const report = await one.run;
    expect(report.stopTag).toEqual(at(span.ms(8)));
    const again = await replay(one.dataflow.recording());
    expect(again.report).toEqual(report);
  });

  it('of a run that was stopped by force fails in the same way', async () => {
    const one = start();
    await feed(one, [1]);
    one.sensor.reading.schedule({ value: 2_000 });
    const report = await one.run;
    expect(report).toMatchObject({ status: 'forced', exitCode: 3 });
    const recording = one.dataflow.recording();
    expect(recording).not.toHaveProperty('stopTag');
    expect((await replay(recording)).report).toMatchObject({ status: 'forced', exitCode: 3, digest: report.digest });
  });

  it('accepts no external input', async () => {
    const one = start({ timeout: span.ms(5) });
    await one.clock.advanceAsync(10);
    await one.run;
    const dataflow = new Dataflow({ graph, replay: one.dataflow.recording(), fast: true });
    const run = dataflow.run();
    expect(dataflow.node<Sensor>('sensor')!.reading.schedule({ value: 1 })).toBe(false);
    await run;
  });

  it('can run in real time, at the pace of the first run', async () => {
    const one = start({ timeout: span.ms(10) });
    await feed(one, [1]);
    await one.clock.advanceAsync(10);
    const report = await one.run;
    const clock = new ManualClock({ now: Date.UTC(2030, 5, 5) });
    const logger = new RecordingLogger();
    const again = new Dataflow({ graph, clock, logger, replay: one.dataflow.recording() });
    const run = again.run();
    await clock.advanceAsync(9.9);
    expect(again.state).toBe('running');
    await clock.advanceAsync(0.1);
    expect((await run).digest).toBe(report.digest);
    expect(logger.lines).toEqual([]);
  });

  it('can be stopped early', async () => {
    const one = start({ timeout: span.ms(10) });
    await feed(one, [1]);
    await one.clock.advanceAsync(10);
    await one.run;
    const clock = new ManualClock();
    const again = new Dataflow({ graph, clock, replay: one.dataflow.recording() });
    const run = again.run();
    await clock.advanceAsync(1);
    expect((await again.requestShutdown({ at: span.ms(4) })).stopTag).toEqual(at(span.ms(4)));
    await clock.advanceAsync(10);
    expect((await run).stopTag).toEqual(at(span.ms(4)));
  });

  it('returns its own recording', async () => {
    const one = start({ timeout: span.ms(10) });
    await feed(one, [1]);
    await one.clock.advanceAsync(10);
    await one.run;
    const recording = one.dataflow.recording();
    const { dataflow } = await replay(recording, { record: true });
    expect(dataflow.recording()).toEqual(recording);
  });

  it('rejects a recording of another graph', () => {
    const one = start();
    const recording = one.dataflow.recording();
    const other = (g: GraphBuilder) => g.node(Sink);
    expect(() => new Dataflow({ graph: other, replay: recording })).toThrow(RecordingMismatchError);
    expect(() => new Dataflow({ graph: other, replay: recording })).toThrow(`made with version ${recording.version}`);
    void one.dataflow.forceStop('over');
  });
});

describe('recording', () => {
  it('contains external input with its tags', async () => {
    const one = start({ timeout: span.ms(10), seed: 's' });
    await one.clock.advanceAsync(2);
    one.sensor.reading.schedule({ value: 1 });
    await one.clock.advanceAsync(10);
    const { stopTag } = await one.run;
    expect(one.dataflow.recording()).toEqual({
      version: one.dataflow.graph.version,
      seed: 's',
      startedAtMs: Date.UTC(2026, 0, 1),
      arrivals: [
        { node: 'sensor', port: 'reading', position: 0, tag: at(span.ms(2)), value: { value: 1 } },
        { node: 'sink', port: 'physical', position: 0, tag: at(span.ms(2), 1), value: expect.any(Array) as unknown },
      ],
      stopTag,
      status: 'stopped',
    });
  });

  it('is empty without the option record', async () => {
    const one = start({ timeout: span.ms(10), record: false });
    await feed(one, [1]);
    await one.clock.advanceAsync(10);
    await one.run;
    expect(one.dataflow.recording().arrivals).toEqual([]);
  });
});
