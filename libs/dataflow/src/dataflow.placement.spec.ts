import { CoordinatedShutdown, ShutdownReason } from '@roost/shutdown';
import { MemoryNetwork } from './core/testing/memory-network.js';
import { NodeNotProvidedError } from './errors/node-not-provided.error.js';
import { PlacementError } from './core/errors/placement.error.js';
import {
  Dataflow,
  DataflowModule,
  DataflowNode,
  type DataflowNodeOptions,
  type GraphBuilder,
  Input,
  InputPort,
  InvalidDataflowOptionError,
  OnShutdown,
  OnStart,
  Output,
  OutputPort,
  PhysicalAction,
  Reaction,
} from './index.js';
import { Apps, bootError, deferred, RecordingLogger } from './nest-app.fixture.js';

const apps = new Apps();
afterEach(() => apps.closeAll());

@DataflowNode()
class Source {
  @PhysicalAction() numbers!: PhysicalAction<number>;
  @Output() out!: OutputPort<number>;
  readonly started = deferred();

  @OnStart()
  start(): void {
    this.started.resolve();
  }

  @Reaction('numbers')
  send(): void {
    if (this.numbers.value! < 0) return this.numbers.close();
    this.out.set(this.numbers.value!);
  }
}

@DataflowNode()
class Sink {
  @Input() in!: InputPort<number>;
  readonly seen: (number | string)[] = [];

  @Reaction('in')
  take(): void {
    if (this.in.value === 13) throw new Error('bad luck');
    this.seen.push(this.in.value!);
  }

  @OnShutdown()
  stop(): void {
    this.seen.push('stop');
  }
}

const graph = (g: GraphBuilder): void => g.connect(g.node(Source).out, g.node(Sink).in);
const placement = { processes: { left: ['source'], right: ['sink'] } };

const optionsFor = (transport: MemoryNetwork): Omit<DataflowNodeOptions, 'process'> => ({
  graph,
  placement,
  transport,
  logger: new RecordingLogger(),
});

/** Three applications that stand for three processes. */
const setup = async (options: Partial<DataflowNodeOptions> = {}) => {
  const base = { ...optionsFor(new MemoryNetwork()), ...options };
  const left = await apps.context({
    dataflow: false,
    imports: [DataflowModule.forNode({ ...base, process: 'left' })],
    providers: [Source],
  });
  const right = await apps.context({
    dataflow: false,
    imports: [DataflowModule.forNodeAsync({ useFactory: () => ({ ...base, process: 'right' }) })],
    providers: [Sink],
  });
  const coordinator = await apps.context({ dataflow: false, imports: [DataflowModule.forCoordinator(base)] });
  const source = left.get(Source);
  await source.started.promise;
  const all = [left, right, coordinator];
  return {
    source,
    sink: right.get(Sink),
    shutdowns: all.map((app) => app.get(CoordinatedShutdown)),
    dataflows: all.map((app) => app.get(Dataflow)),
    /** Reports of all shutdowns. */
    ends: () => Promise.all(all.map((app) => app.get(CoordinatedShutdown).terminated)),
  };
};

describe('a graph in several applications', () => {
  it('shuts all of them down when it completes', async () => {
    const { source, sink, ends, dataflows } = await setup();
    for (const number of [1, 2, -1]) source.numbers.schedule(number);
    for (const report of await ends()) {
      expect(report).toMatchObject({ reason: 'dataflow-ended (completed)', status: 'completed', exitCode: 0 });
    }
    expect(sink.seen).toEqual([1, 2, 'stop']);
    expect(new Set(dataflows.map(({ report }) => report!.digest)).size).toBe(1);
  });

  it.each([
    ['a node', 0],
    ['another node', 1],
    ['the coordinator', 2],
  ])('stops everywhere when the application of %s shuts down', async (_, index) => {
    const { source, sink, shutdowns, ends } = await setup();
    for (const number of [1, 2]) source.numbers.schedule(number);
    void shutdowns[index]!.run(new ShutdownReason('by-hand'));
    const reports = await ends();
    expect(sink.seen).toEqual([1, 2, 'stop']);
    for (const [at, report] of reports.entries()) {
      const reason = at === index ? 'by-hand' : 'dataflow-ended (stopped)';
      expect(report).toMatchObject({ reason, status: 'completed', exitCode: 0 });
    }
  });

  it('shuts all of them down with an exit code when a node fails', async () => {
    const { source, ends } = await setup();
    source.numbers.schedule(13);
    for (const report of await ends()) {
      expect(report.reason).toMatch(/^dataflow-ended \(forced: .*bad luck/);
      expect(report.exitCode).toBe(1);
    }
  });

  it('keeps them running with exit: never', async () => {
    const { source, shutdowns, dataflows } = await setup({ exit: 'never' });
    source.numbers.schedule(-1);
    for (const dataflow of dataflows) expect(await dataflow.ended).toMatchObject({ status: 'completed' });
    expect(shutdowns.map(({ reason }) => reason)).toEqual([undefined, undefined, undefined]);
  });
});

describe('DataflowModule.forNode', () => {
  const boot = (options: Partial<DataflowNodeOptions>, providers = [Source]) => {
    const given = { ...optionsFor(new MemoryNetwork()), process: 'left', ...options };
    return bootError({ dataflow: false, imports: [DataflowModule.forNode(given)], providers });
  };

  it('requires providers for the nodes placed in this process only', async () => {
    const error = await boot({}, []);
    expect(error).toBeInstanceOf(NodeNotProvidedError);
    expect(error).toMatchObject({ node: 'source' });
  });

  it.each([
    ['process', { process: 'middle' }],
    ['process', { process: 'toString' }],
    ['placement', { placement: undefined }],
    ['transport', { transport: undefined }],
  ])('rejects an invalid %s at boot: %p', async (option, options) => {
    const error = await boot(options);
    expect(error).toBeInstanceOf(InvalidDataflowOptionError);
    expect(error).toMatchObject({ option });
  });

  it('rejects a placement that does not fit the graph at boot', async () => {
    expect(await boot({ placement: { processes: { left: ['source'] } } })).toBeInstanceOf(PlacementError);
  });
});

describe('DataflowModule.forCoordinator', () => {
  const boot = (options: Partial<DataflowNodeOptions>) =>
    bootError({
      dataflow: false,
      imports: [
        DataflowModule.forCoordinatorAsync({ useFactory: () => ({ ...optionsFor(new MemoryNetwork()), ...options }) }),
      ],
    });

  it('rejects invalid options at boot', async () => {
    expect(await boot({ placement: undefined })).toBeInstanceOf(InvalidDataflowOptionError);
  });

  it('requires providers when the process with the coordinator also has nodes', async () => {
    expect(await boot({ placement: { ...placement, coordinator: 'left' } })).toMatchObject({ node: 'source' });
  });
});
