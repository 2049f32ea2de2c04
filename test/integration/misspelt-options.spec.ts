import { RecordingLogger } from '@roost/kernel/testing';
import {
  Actor,
  ActorSystem,
  ActorSystemModule,
  Behavior,
  exponentialBackoff,
  oneForOne,
  Props,
  Router,
  roundRobin,
} from '@roost/actors';
import {
  Dataflow,
  DataflowModule,
  DataflowNode,
  type DataflowOptions,
  Input,
  InputPort,
  launchDataflow,
  OnShutdown,
  OnStart,
  OnTimer,
  Output,
  OutputPort,
  placeInProcess,
  Reaction,
  span,
  tcp,
} from '@roost/dataflow';
import { LinkHub } from '@roost/dataflow/link';
import { nats } from '@roost/dataflow/nats';
import { MemoryNetwork } from '@roost/dataflow/testing';
import { Drain, DrainModule } from '@roost/drain';
import { HealthModule } from '@roost/health';
import { RoostModule } from '@roost/nest';
import {
  captureEarlySignals,
  CoordinatedShutdown,
  CoordinatedShutdownModule,
  enableCoordinatedShutdown,
  Phase,
  ShutdownTask,
} from '@roost/shutdown';
import { FakeProcess, TestApps } from '@roost/shutdown/testing';
import { ActorTestKit, BehaviorTestKit } from '@roost/testkit';
import { sleep } from '@roost/time';
import { ManualClock } from '@roost/time/testing';
import { BackgroundProcess, launch, restartBackoff, runGracefully, Workers, WorkersModule } from '@roost/workers';

/** An option that does not exist in any options object. */
const TYPO: object = { misspelt: 1 };

type Row = [call: string, run: () => unknown];

const quiet = { logger: new RecordingLogger() };
const noop = (): void => undefined;
const apps = new TestApps();
afterEach(() => apps.closeAll());

const shutdownModule = CoordinatedShutdownModule.forRoot({ ...quiet, signals: [] });
/** Boots an application with the module, and throws the error of the boot. */
const boot = async (module: object, ...providers: (new () => object)[]): Promise<never> => {
  throw await apps.bootError({ imports: [shutdownModule, module as never], providers });
};

/** Calls the function and expects an error that names the option as unknown. */
const expectRefusal = (code: string) => async (_: string, run: () => unknown) => {
  let thrown: unknown;
  try {
    await run();
  } catch (error) {
    thrown = error;
  }
  expect(thrown).toMatchObject({ code });
  expect((thrown as Error).message).toMatch(/misspelt.*there is no such option\. Valid options: \w+/);
};

describe('Misspelled options of @roost/time', () => {
  it.each<Row>([
    ['sleep()', () => sleep(0, TYPO)],
    ['new ManualClock()', () => new ManualClock(TYPO)],
  ])('are refused by %s', expectRefusal('TIME_INVALID_OPTION'));
});

describe('Misspelled options of @roost/shutdown', () => {
  const create = (options: object = {}) => new CoordinatedShutdown({ ...quiet, ...options }, new FakeProcess());

  class Tasks {
    @ShutdownTask(Phase.ServiceStop, TYPO)
    stop(): void {}
  }

  it.each<Row>([
    ['new CoordinatedShutdown()', () => create(TYPO)],
    ['exit', () => create({ exit: TYPO })],
    ['phases', () => create({ phases: { extra: TYPO } })],
    ['addPhase()', () => create().addPhase('extra', TYPO)],
    ['addTask()', () => create().addTask(Phase.ServiceStop, 'task', noop, TYPO)],
    [
      'reservePhaseTime()',
      () => create().reservePhaseTime(Phase.ServiceStop, 1, { declaredBy: 'x', advice: 'y', ...TYPO }),
    ],
    ['captureEarlySignals()', () => captureEarlySignals({ process: new FakeProcess(), ...TYPO })],
    ['CoordinatedShutdownModule.forRoot()', () => apps.context({ imports: [CoordinatedShutdownModule.forRoot(TYPO)] })],
    [
      'enableCoordinatedShutdown()',
      async () =>
        enableCoordinatedShutdown(await apps.context({ imports: [shutdownModule] }), { signals: [], ...TYPO }),
    ],
    ['@ShutdownTask()', () => apps.context({ imports: [shutdownModule], providers: [Tasks] })],
  ])('are refused by %s', expectRefusal('SHUTDOWN_INVALID_OPTION'));
});

describe('Misspelled options of @roost/drain', () => {
  it.each<Row>([
    ['new Drain()', () => new Drain(TYPO)],
    ['shedResponse', () => new Drain({ shedResponse: TYPO })],
    ['DrainModule.forRoot()', () => boot(DrainModule.forRoot(TYPO))],
  ])('are refused by %s', expectRefusal('DRAIN_INVALID_OPTION'));
});

describe('Misspelled options of @roost/health', () => {
  it.each<Row>([
    ['HealthModule.forRoot()', () => boot(HealthModule.forRoot(TYPO))],
    ['indicators', () => boot(HealthModule.forRoot({ indicators: TYPO }))],
  ])('are refused by %s', expectRefusal('HEALTH_INVALID_OPTION'));
});

describe('Misspelled options of @roost/actors', () => {
  const silent = Behavior.receive<number>(noop);

  @Actor(TYPO)
  class Misspelt {}

  /** A system with one actor, for the options of its methods. */
  const withActor = async (use: (ref: ReturnType<typeof ActorSystem.prototype.spawn<number>>) => unknown) => {
    const system = new ActorSystem(quiet);
    try {
      await use(system.spawn(silent, 'actor'));
    } finally {
      await system.shutdown();
    }
  };

  it.each<Row>([
    ['ActorTestKit.create(), which hands them on', () => ActorTestKit.create(TYPO)],
    ['new ActorSystem()', () => new ActorSystem(TYPO)],
    ['Props', () => Props.of(silent, TYPO)],
    ['throttle', () => Props.of(silent, { throttle: { messages: 1, perMs: 1, ...TYPO } })],
    ['oneForOne()', () => oneForOne(TYPO)],
    ['exponentialBackoff()', () => exponentialBackoff(TYPO)],
    ['backoff', () => oneForOne({ backoff: TYPO })],
    ['Router.pool()', () => Router.pool({ size: 1, routee: silent, strategy: roundRobin(), ...TYPO })],
    ['ask()', () => withActor((ref) => ref.ask(() => 1, TYPO))],
    ['offer()', () => withActor((ref) => ref.offer(1, TYPO))],
    ['ActorSystemModule.forRoot()', () => boot(ActorSystemModule.forRoot(TYPO))],
    [
      '@Actor()',
      () =>
        boot({
          module: class {},
          imports: [ActorSystemModule.forRoot(quiet), ActorSystemModule.forFeature([Misspelt])],
        }),
    ],
  ])('are refused by %s', expectRefusal('ACTORS_INVALID_OPTION'));
});

describe('Misspelled options of @roost/workers', () => {
  @BackgroundProcess(TYPO)
  class Misspelt {
    handle(): void {}
  }

  const workers = () => new Workers(quiet);

  it.each<Row>([
    ['new Workers()', () => new Workers(TYPO)],
    ['add()', () => workers().add({ name: 'a', handle: noop, ...TYPO })],
    ['restartBackoff()', () => restartBackoff(TYPO)],
    ['Workers.runGracefully()', () => workers().runGracefully(noop, TYPO)],
    ['consume()', () => workers().runGracefully((run) => run.consume([1], noop, TYPO))],
    ['runGracefully()', () => runGracefully(noop, { process: new FakeProcess(), ...TYPO })],
    ['launch()', () => launch(TYPO)],
    ['a process of launch()', () => launch({ processes: [{ name: 'a', file: 'a.js', ...TYPO }] })],
    ['a thread of launch()', () => launch({ threads: [{ name: 'a', file: 'a.js', ...TYPO }] })],
    ['http of launch()', () => launch({ app: 'a.js', http: TYPO })],
    ['WorkersModule.forRoot()', () => boot(WorkersModule.forRoot(TYPO))],
    ['@BackgroundProcess()', () => boot(WorkersModule.forRoot(quiet), Misspelt)],
  ])('are refused by %s', expectRefusal('WORKERS_INVALID_OPTION'));
});

describe('Misspelled options of @roost/testkit', () => {
  it.each<Row>([
    ['ActorTestKit.of()', () => ActorTestKit.of(ActorTestKit.create().system, TYPO)],
    ['BehaviorTestKit.create()', () => BehaviorTestKit.create(Behavior.receive<number>(noop), TYPO)],
  ])('are refused by %s', expectRefusal('TESTKIT_INVALID_OPTION'));
});

describe('Misspelled options of @roost/dataflow', () => {
  @DataflowNode()
  class Relay {
    @Input() in!: InputPort<number>;
    @Output() out!: OutputPort<number>;

    @Reaction('in')
    pass(): void {
      this.out.set(this.in.value!);
    }
  }

  const graph: DataflowOptions['graph'] = (g) => void g.node(Relay);
  const silent = { graph, ...quiet };
  const build = (describe: DataflowOptions['graph']) => new Dataflow({ ...silent, graph: describe });
  const placed = {
    ...silent,
    placement: { processes: { left: ['relay'] } },
    process: 'left',
    transport: new MemoryNetwork(),
  };
  const identity = { app: 'app', name: 'a', maxFrameBytes: 1_000 };
  const noMessages = { onMessage: () => undefined, onPeer: () => undefined, onError: () => undefined };
  const bootGraph = (module: object) => boot(module, Relay);

  it.each<Row>([
    ['new Dataflow()', () => new Dataflow({ ...silent, ...TYPO })],
    [
      'replay',
      async () => {
        const dataflow = new Dataflow({ ...silent, timeout: span.ns(0), record: true });
        await dataflow.run();
        return new Dataflow({ ...silent, replay: { ...dataflow.recording(), ...TYPO } });
      },
    ],
    ['placeInProcess()', () => placeInProcess({ ...placed, ...TYPO })],
    [
      'new Dataflow() with placeInProcess()',
      () => new Dataflow({ ...placed, ...TYPO }, undefined, placeInProcess(placed)),
    ],
    ['placement', () => placeInProcess({ ...placed, placement: { ...placed.placement, ...TYPO } })],
    ['g.node()', () => build((g) => void g.node(Relay, TYPO))],
    [
      'g.connect()',
      () => build((g) => g.connect(g.node(Relay, { name: 'a' }).out, g.node(Relay, { name: 'b' }).in, TYPO)),
    ],
    [
      'g.merge()',
      () =>
        build((g) => {
          const [a, b] = [g.node(Relay, { name: 'a' }), g.node(Relay, { name: 'b' })];
          g.merge([{ from: a.out, after: span.ms(1), ...TYPO }], b.in);
        }),
    ],
    ['@DataflowNode()', () => DataflowNode(TYPO)],
    ['@Input()', () => Input(TYPO)],
    ['@Reaction()', () => Reaction('in', TYPO)],
    ['@OnStart()', () => OnStart(TYPO)],
    ['@OnShutdown()', () => OnShutdown(TYPO)],
    ['@OnTimer()', () => OnTimer(TYPO)],
    [
      'requestShutdown()',
      async () => {
        const dataflow = new Dataflow({ ...silent, timeout: span.ns(0) });
        const run = dataflow.run();
        try {
          await dataflow.requestShutdown({ after: span.ms(1), ...TYPO });
        } finally {
          await run;
        }
      },
    ],
    ['tcp()', () => tcp(TYPO)],
    ['nats()', () => nats(TYPO)],
    ['new MemoryNetwork()', () => new MemoryNetwork(TYPO)],
    ['LinkHub.open()', () => LinkHub.open({ transport: new MemoryNetwork(), identity, ...noMessages, ...TYPO })],
    [
      'LinkHub.open(), identity',
      () => LinkHub.open({ transport: new MemoryNetwork(), identity: { ...identity, ...TYPO }, ...noMessages }),
    ],
    ['DataflowModule.forRoot()', () => bootGraph(DataflowModule.forRoot({ ...silent, ...TYPO }))],
    [
      'DataflowModule.forRootAsync()',
      () => bootGraph(DataflowModule.forRootAsync({ useFactory: () => ({ ...silent, ...TYPO }) })),
    ],
    ['DataflowModule.forNode()', () => bootGraph(DataflowModule.forNode({ ...placed, ...TYPO }))],
    [
      'DataflowModule.forCoordinator()',
      () => {
        const { process: _, ...rest } = placed;
        return bootGraph(DataflowModule.forCoordinator({ ...rest, ...TYPO }));
      },
    ],
    ['launchDataflow()', () => launchDataflow({ graph, placement: placed.placement, module: class {}, ...TYPO })],
  ])('are refused by %s', expectRefusal('DATAFLOW_INVALID_OPTION'));
});

describe('Misspelled options of @roost/nest', () => {
  it('are refused by RoostModule.forRoot()', () => {
    expect(() => RoostModule.forRoot(TYPO)).toThrow(expect.objectContaining({ code: 'NEST_UNKNOWN_PART' }));
  });
});
