import { LinkHub } from './core/link/link-hub.js';
import { MemoryNetwork } from './core/testing/memory-network.js';
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
} from './index.js';
import { nats } from './nats.js';
import { bootError, RecordingLogger } from './nest-app.fixture.js';

@DataflowNode()
class Relay {
  @Input() in!: InputPort<number>;
  @Output() out!: OutputPort<number>;

  @Reaction('in')
  pass(): void {
    this.out.set(this.in.value!);
  }
}

/** An option that is in no options object of the library. */
const TYPO: object = { misspelt: 1 };

const graph: DataflowOptions['graph'] = (g) => void g.node(Relay);
const silent = { graph, logger: new RecordingLogger() };
const build = (describe: DataflowOptions['graph']) => new Dataflow({ ...silent, graph: describe });
const placed = {
  ...silent,
  placement: { processes: { left: ['relay'] } },
  process: 'left',
  transport: new MemoryNetwork(),
};
const identity = { app: 'app', name: 'a', maxFrameBytes: 1_000 };
const noMessages = { onMessage: () => undefined, onPeer: () => undefined, onError: () => undefined };
const recording = { version: new Dataflow(silent).graph.version, seed: 'x', startedAtMs: 0, arrivals: [] };
const boot = async (module: object): Promise<never> => {
  throw await bootError({ dataflow: false, providers: [Relay], imports: [module as never] });
};

describe('a misspelt option is refused by', () => {
  it.each<[string, () => unknown]>([
    ['new Dataflow()', () => new Dataflow({ ...silent, ...TYPO })],
    ['new Dataflow(): an option of processes without processes', () => new Dataflow({ ...silent, ...{ window: 5 } })],
    ['replay', () => new Dataflow({ ...silent, replay: { ...recording, ...TYPO } })],
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
    ['DataflowModule.forRoot()', () => boot(DataflowModule.forRoot({ ...silent, ...TYPO }))],
    [
      'DataflowModule.forRootAsync()',
      () => boot(DataflowModule.forRootAsync({ useFactory: () => ({ ...silent, ...TYPO }) })),
    ],
    ['DataflowModule.forNode()', () => boot(DataflowModule.forNode({ ...placed, ...TYPO }))],
    [
      'DataflowModule.forCoordinator()',
      () => {
        const { process: _, ...rest } = placed;
        return boot(DataflowModule.forCoordinator({ ...rest, ...TYPO }));
      },
    ],
    ['launchDataflow()', () => launchDataflow({ graph, placement: placed.placement, module: class {}, ...TYPO })],
  ])('%s', async (_, run) => {
    let thrown: unknown;
    try {
      await run();
    } catch (error) {
      thrown = error;
    }
    expect(thrown).toMatchObject({
      code: 'DATAFLOW_INVALID_OPTION',
      expected: expect.stringContaining('there is no such option') as string,
    });
  });
});
