import { ApplicationStoppedError, CoordinatedShutdown, enableCoordinatedShutdown } from '@roost/shutdown';
import {
  Dataflow,
  dataflowMicroservice,
  DataflowNode,
  DataflowRefusedError,
  DataflowServer,
  type DataflowState,
  OnShutdown,
  OnStart,
  PhysicalAction,
} from './index.js';
import { type AppMetadata, Apps, settled } from './nest-app.fixture.js';

const apps = new Apps();
afterEach(() => apps.closeAll());

let trace: string[] = [];
beforeEach(() => (trace = []));

@DataflowNode()
class Sensor {
  @PhysicalAction() value!: PhysicalAction<number>;
  @OnStart()
  start(): void {
    trace.push('start');
  }
  @OnShutdown()
  stop(): void {
    trace.push('stop');
  }
}

const metadata = (rest: AppMetadata = {}): AppMetadata => ({
  graph: (g) => void g.node(Sensor),
  providers: [Sensor],
  ...rest,
});

describe('a graph as a microservice', () => {
  it.each([true, false])('runs from listen() to close(), with autoStart %p', async (autoStart) => {
    const app = await apps.microservice(metadata({ dataflow: { autoStart } }));
    expect(trace).toEqual([]);
    await app.listen();
    await settled();
    expect([trace, app.get(Dataflow).state]).toEqual([['start'], 'running']);
    await app.close();
    expect([trace, app.get(Dataflow).state]).toEqual([['start', 'stop'], 'stopped']);
    expect(await app.get(CoordinatedShutdown).terminated).toMatchObject({ status: 'completed' });
  });

  it('stops in the phases of a shutdown that owns the application', async () => {
    const app = await apps.microservice(metadata());
    const shutdown = enableCoordinatedShutdown(app);
    await app.listen();
    await settled();
    const stopped = shutdown.run().then(() => [...trace]);
    expect(await stopped).toEqual(['start', 'stop']);
    await shutdown.terminated;
  });

  it('starts with the application when it is connected to one, in any order of start', async () => {
    for (const isFirst of [true, false]) {
      trace = [];
      const app = await apps.http(metadata({ dataflow: { autoStart: false } }));
      app.connectMicroservice(dataflowMicroservice());
      if (isFirst) await app.startAllMicroservices();
      await app.init();
      if (!isFirst) {
        await settled();
        expect(trace).toEqual([]);
        await app.startAllMicroservices();
      }
      await settled();
      expect(trace).toEqual(['start']);
      await app.close();
      expect(trace).toEqual(['start', 'stop']);
    }
  });

  it('does not start when the application is shutting down', async () => {
    const app = await apps.microservice(metadata({ dataflow: { autoStart: false } }));
    void app.get(CoordinatedShutdown).run();
    await expect(app.listen()).rejects.toThrow(DataflowRefusedError);
    expect(trace).toEqual([]);

    const owned = await apps.microservice(metadata());
    void enableCoordinatedShutdown(owned).run();
    await expect(owned.listen()).rejects.toThrow(ApplicationStoppedError);
    expect(trace).toEqual([]);
  });

  it('starts once when it is initialized before it listens', async () => {
    @DataflowNode()
    class Twin extends Sensor {
      constructor() {
        super();
        trace.push('made');
      }
    }
    const app = await apps.microservice({
      graph: (g) => ['a', 'b'].forEach((name) => g.node(Twin, { name })),
      providers: [Twin],
    });
    await app.init();
    await app.listen();
    await settled();
    // The third instance is the one that other providers would inject.
    expect(trace).toEqual(['made', 'made', 'made', 'start', 'start']);
  });

  it('reports its state', async () => {
    const app = await apps.microservice(metadata());
    const states: DataflowState[] = [];
    app.status.subscribe((state) => states.push(state as DataflowState));
    let ended = 0;
    app.on('ended', () => void ended++);
    await app.listen();
    expect([states, ended]).toEqual([['running'], 0]);
    await app.close();
    expect([states, ended]).toEqual([['running', 'stopped'], 1]);
    expect(app.unwrap()).toBe(app.get(Dataflow));
  });

  it('can be closed twice, and without having been opened', async () => {
    const server = (await apps.context(metadata({ dataflow: { autoStart: false } }))).get(DataflowServer);
    await server.close();
    const app = await apps.context(metadata());
    await settled();
    await Promise.all([app.get(DataflowServer).close(), app.get(DataflowServer).close()]);
    await app.get(DataflowServer).close();
    expect(trace).toEqual(['start', 'stop']);
  });

  it('leaves it to the shutdown to report a graph that does not stop', async () => {
    @DataflowNode()
    class Stuck {
      @OnStart()
      hang(): Promise<void> {
        return new Promise(() => undefined);
      }
    }
    const app = await apps.microservice({
      graph: (g) => void g.node(Stuck),
      providers: [Stuck],
      dataflow: { stopTimeoutMs: 20 },
    });
    await app.listen();
    await app.close();
    expect(await app.get(CoordinatedShutdown).terminated).toMatchObject({ status: 'failed', exitCode: 1 });
  });
});
