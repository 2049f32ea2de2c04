import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import { CoordinatedShutdown } from '@roost/shutdown';
import { ManualClock } from '@roost/time/testing';
import { DataflowShutdownMissingError } from './errors/dataflow-shutdown-missing.error.js';
import { DataflowNotBootedError } from './errors/dataflow-not-booted.error.js';
import { NotANodeError } from './core/errors/not-a-node.error.js';
import {
  Dataflow,
  DataflowModule,
  type DataflowModuleOptions,
  DataflowNode,
  DataflowRefusedError,
  type DataflowReport,
  DataflowServer,
  InvalidDataflowOptionError,
  type NodeContext,
  OnShutdown,
  OnStart,
  OnTimer,
  PhysicalAction,
  span,
} from './index.js';
import { Apps, bootError, RecordingLogger, rootModule, settled } from './nest-app.fixture.js';

const apps = new Apps();
afterEach(() => apps.closeAll());

let trace: string[] = [];
beforeEach(() => (trace = []));

@DataflowNode()
class Ticker {
  @PhysicalAction() sensor!: PhysicalAction<number>;

  @OnStart()
  start(ctx: NodeContext): void {
    trace.push(`start ${ctx.date.getTime()}`);
  }

  @OnTimer({ offset: span.ms(10), period: span.ms(10) })
  tick(ctx: NodeContext): void {
    trace.push(`tick ${ctx.date.getTime()}`);
  }

  @OnShutdown()
  stop(): void {
    trace.push('stop');
  }
}

const graph: DataflowModuleOptions['graph'] = (g) => void g.node(Ticker);
const providers = [Ticker];

describe('DataflowModule.forRoot', () => {
  it('runs the graph while the application is up', async () => {
    const clock = new ManualClock({ now: 1_000 });
    const app = await apps.http({ graph, providers, dataflow: { clock } });
    expect(app.get(Dataflow).state).toBe('ready');
    await app.init();
    expect(app.get(Dataflow).state).toBe('running');
    await clock.advanceAsync(25);
    expect(trace).toEqual(['start 1000', 'tick 1010', 'tick 1020']);
    await app.close();
    expect(trace.at(-1)).toBe('stop');
    expect(app.get(Dataflow)).toMatchObject({ state: 'stopped', report: { status: 'stopped', exitCode: 0 } });
  });

  it('starts logical time when the application has booted', async () => {
    const clock = new ManualClock({ now: 1_000 });
    @Injectable()
    class SlowToBoot {
      onApplicationBootstrap(): Promise<void> {
        return clock.advanceAsync(500);
      }
    }
    await apps.context({ graph, providers: [Ticker, SlowToBoot], dataflow: { clock } });
    await clock.advanceAsync(10);
    expect(trace).toEqual(['start 1500', 'tick 1510']);
  });

  it('exports Dataflow and DataflowServer globally', async () => {
    @Injectable()
    class Anything {
      constructor(
        readonly dataflow: Dataflow,
        readonly server: DataflowServer,
      ) {}
    }
    const app = await apps.context({ graph, providers: [Ticker, Anything] });
    expect(app.get(Anything).dataflow.node('ticker')).toBe(app.get(Ticker));
    expect(app.get(Anything).server.unwrap()).toBe(app.get(Dataflow));
  });

  it('is global by default', async () => {
    const definition = (isGlobal?: boolean) =>
      DataflowModule.forRoot({ graph, ...(isGlobal === false && { isGlobal }) });
    expect(definition().global).toBe(true);
    expect(definition(false).global).toBe(false);
    const local = DataflowModule.forRoot({ graph, isGlobal: false, logger: new RecordingLogger() });
    const app = await apps.context({ dataflow: false, imports: [local], providers });
    await settled();
    expect(app.get(Dataflow).state).toBe('running');
  });

  it('is rejected a second time, because an application has one graph', async () => {
    const second = DataflowModule.forRoot({ graph, logger: new RecordingLogger() });
    expect(await bootError({ graph, providers, imports: [second] })).toMatchObject({ code: 'SHUTDOWN_DUPLICATE_TASK' });
  });

  it('requires a coordinated shutdown', async () => {
    expect(await bootError({ graph, providers, shutdown: false })).toBeInstanceOf(DataflowShutdownMissingError);
  });

  it.each([
    ['autoStart', 'yes'],
    ['exit', 'sometimes'],
    ['stopTimeoutMs', -1],
    ['stopTimeoutMs', 2 ** 31],
    ['stopTimeoutMs', '10s'],
    ['lagWarningMs', NaN],
    ['graph', undefined],
  ])('rejects %s: %p at boot', async (option, value) => {
    const error = await bootError({ graph, providers, dataflow: { [option]: value } });
    expect(error).toBeInstanceOf(InvalidDataflowOptionError);
    expect(error).toMatchObject({ option });
  });

  it('treats an undefined option as missing', async () => {
    const nothing = { autoStart: undefined, exit: undefined, stopTimeoutMs: undefined, logger: undefined };
    const app = await apps.context({ graph, providers, dataflow: nothing });
    expect(app.get(Dataflow).state).toBe('running');
  });

  it('rejects an invalid graph at boot, and starts nothing', async () => {
    class NoNode {}
    const error = await bootError({
      graph: (g) => {
        g.node(Ticker);
        g.node(NoNode);
      },
      providers,
    });
    expect(error).toBeInstanceOf(NotANodeError);
    expect(trace).toEqual([]);
  });
});

describe('DataflowModule.forRootAsync', () => {
  it('takes options from a factory', async () => {
    @Injectable()
    class Settings {
      readonly seed = 'from settings';
    }
    const module = DataflowModule.forRootAsync({
      provideInjectionTokensFrom: [Settings],
      inject: [Settings],
      useFactory: ({ seed }: Settings) => ({ graph, seed, logger: new RecordingLogger() }),
    });
    const app = await apps.context({ dataflow: false, imports: [module], providers });
    expect(app.get(Dataflow).options.seed).toBe('from settings');
    expect(app.get(Dataflow).state).toBe('running');
  });

  it('takes options from a class', async () => {
    class Factory {
      createDataflowOptions = (): DataflowModuleOptions => ({ graph, autoStart: false });
    }
    const module = DataflowModule.forRootAsync({ useClass: Factory });
    const app = await apps.context({ dataflow: false, imports: [module], providers });
    expect(app.get(Dataflow).state).toBe('ready');
  });
});

describe('dataflow.run() in an application', () => {
  it('starts a graph without autoStart, whose ports exist before', async () => {
    const app = await apps.context({
      graph,
      providers,
      dataflow: { autoStart: false, fast: true, timeout: span.ms(20) },
    });
    const dataflow = app.get(Dataflow);
    await settled();
    expect([dataflow.state, trace]).toEqual(['ready', []]);
    expect(app.get(Ticker).sensor.schedule(1)).toBe(false);
    const report = await dataflow.run();
    expect(report).toMatchObject({ status: 'stopped', nodes: { ticker: { tags: 3 } } });
    expect(await dataflow.run()).toBe(report);
  });

  it('waits for the boot when it is called during it', async () => {
    let report: Promise<DataflowReport> | undefined;
    @Injectable()
    class Impatient implements OnModuleInit {
      readonly states: string[] = [];
      constructor(private readonly dataflow: Dataflow) {
        report = dataflow.run();
        this.states.push(dataflow.state);
      }
      onModuleInit(): void {
        void this.dataflow.run();
        this.states.push(this.dataflow.state);
      }
    }
    const options = { autoStart: false, fast: true, timeout: span.ms(10) };
    const app = await apps.context({ graph, providers: [Ticker, Impatient], dataflow: options });
    expect(app.get(Impatient).states).toEqual(['ready', 'ready']);
    expect(await report).toMatchObject({ status: 'stopped' });
    expect(app.get(Dataflow).report).toBe(await report);
  });

  it('is rejected when the application shuts down, even if it was called before the boot', async () => {
    const app = await apps.http({ graph, providers, dataflow: { autoStart: false } });
    const dataflow = app.get(Dataflow);
    const early = dataflow.run();
    await app.get(CoordinatedShutdown).run();
    await expect(early).rejects.toThrow(DataflowRefusedError);
    await expect(dataflow.run()).rejects.toThrow(DataflowRefusedError);
    await app.init();
    await settled();
    expect([dataflow.state, trace]).toEqual(['ready', []]);
  });

  it('is rejected after shutdown has begun, without an unhandled rejection', async () => {
    const app = await apps.context({ graph, providers, dataflow: { autoStart: false } });
    void app.get(CoordinatedShutdown).run();
    void app.get(Dataflow).run();
    await settled();
    await expect(app.get(Dataflow).run()).rejects.toThrow('The graph does not start, because');
  });

  it('does not allow describe() before the nodes exist', async () => {
    @Injectable()
    class Curious {
      readonly error: unknown;
      constructor(dataflow: Dataflow) {
        try {
          dataflow.describe();
        } catch (error) {
          this.error = error;
        }
      }
    }
    const app = await apps.context({ graph, providers: [Ticker, Curious] });
    expect(app.get(Curious).error).toBeInstanceOf(DataflowNotBootedError);
    expect(app.get(Dataflow).describe().nodes).toMatchObject([{ name: 'ticker' }]);
  });
});

describe("DataflowModule in a user's test", () => {
  it('allows replacing the graph, with a clock of the test', async () => {
    const dataflow = new Dataflow({ graph, fast: true, timeout: span.ms(10), logger: new RecordingLogger() });
    const builder = Test.createTestingModule({ imports: [rootModule({ graph, providers })] });
    const app = apps.track(await builder.overrideProvider(Dataflow).useValue(dataflow).compile());
    await app.init();
    expect(await dataflow.ended).toMatchObject({ status: 'stopped' });
    expect(dataflow.node('ticker')).not.toBe(app.get(Ticker));
  });

  it('stops with the testing module', async () => {
    @Injectable()
    class User {
      constructor(@Inject(Dataflow) readonly dataflow: Dataflow) {}
    }
    const app = await Test.createTestingModule({
      imports: [rootModule({ graph, providers: [Ticker, User] })],
    }).compile();
    await app.init();
    await app.close();
    expect(app.get(User).dataflow.state).toBe('stopped');
  });
});
