import { deferred } from '@roost/kernel';
import { RecordingLogger } from '@roost/kernel/testing';
import { CoordinatedShutdown, Phase } from '@roost/shutdown';
import { ChildAgent } from './core/child/agent.js';
import { never } from './core/workers.fixture.js';
import { BackgroundProcess, type RunToken, Workers } from './index.js';
import { Apps } from './nest-app.fixture.js';

const apps = new Apps();
afterEach(() => apps.closeAll());

@BackgroundProcess()
class Poller {
  async handle(run: RunToken): Promise<void> {
    await run.sleep(Infinity);
  }
}

describe('WorkersLifecycle', () => {
  it('registers its three steps with the shutdown', async () => {
    const app = await apps.context({ providers: [Poller] });
    const tasks = app
      .get(CoordinatedShutdown)
      .describe()
      .flatMap((phase) => phase.tasks.map(({ name, declaredBy }) => `${phase.name}: ${name} (${declaredBy})`));
    expect(tasks).toEqual([
      'service-unbind: stop-background-processes (WorkersModule)',
      'service-requests-done: finish-background-processes (WorkersModule)',
      'service-stop: close-workers (WorkersModule)',
    ]);
  });

  it('causes no budget warning with all defaults', async () => {
    const logger = new RecordingLogger();
    await apps.context({ providers: [Poller], shutdown: { logger } });
    expect(logger.lines).toEqual([]);
  });

  it('reserves the longest wait set by a process', async () => {
    @BackgroundProcess({ maxWaitMs: 12_000 })
    class Slow extends Poller {}
    const app = await apps.context({ providers: [Slow] });
    const phases = app.get(CoordinatedShutdown).describe();
    expect(phases.find(({ name }) => name === Phase.ServiceRequestsDone)).toMatchObject({ timeoutMs: 12_100 });
  });

  it('warns only when the application has set the phase too short', async () => {
    for (const [timeoutMs, warnings] of [
      [500, 1],
      [5_000, 0],
    ] as const) {
      const logger = new RecordingLogger();
      await apps.context({
        shutdown: { phases: { [Phase.ServiceRequestsDone]: { timeoutMs } }, logger },
        workers: { maxWaitMs: 1_000 },
      });
      expect(logger.of('warn')).toHaveLength(warnings);
    }
  });

  it("stops the processes in Nest's hooks if the phases have not", async () => {
    const phases = Object.fromEntries(
      [Phase.ServiceUnbind, Phase.ServiceRequestsDone, Phase.ServiceStop].map((phase) => [phase, { enabled: false }]),
    );
    const app = await apps.context({ providers: [Poller], shutdown: { phases } });
    await app.close();
    expect(app.get(Workers).state).toBe('stopped');
    expect(app.get(Workers).describe()).toMatchObject([{ state: 'stopped' }]);
  });

  it("closes in Nest's hooks even if a process is stuck, and the report shows it", async () => {
    const phases = { [Phase.ServiceRequestsDone]: { enabled: false }, [Phase.ServiceStop]: { enabled: false } };
    const app = await apps.http({ shutdown: { phases }, workers: { maxWaitMs: 20 } });
    await app.init();
    const workers = app.get(Workers);
    void workers.runGracefully(never, { name: 'stuck' });
    await app.close();
    const report = await app.get(CoordinatedShutdown).terminated;
    expect(workers.state).toBe('stopped');
    expect(report.hooks).toContainEqual(
      expect.objectContaining({ name: 'WorkersLifecycle.onModuleDestroy', status: 'failed' }),
    );
  });

  it("does not fail in Nest's hooks again after the phases have failed", async () => {
    const app = await apps.http({ workers: { maxWaitMs: 20 } });
    await app.init();
    void app.get(Workers).runGracefully(never, { name: 'stuck' });
    await app.close();
    const report = await app.get(CoordinatedShutdown).terminated;
    expect(report.status).toBe('failed');
    expect(report.hooks).toContainEqual(
      expect.objectContaining({ name: 'WorkersLifecycle.onModuleDestroy', status: 'completed' }),
    );
  });

  it('lets a shutdown wait for work started by a request', async () => {
    const app = await apps.context({});
    const workers = app.get(Workers);
    const work = deferred<number>();
    const result = workers.runGracefully(() => work.promise);
    const run = app.get(CoordinatedShutdown).run();
    expect(workers.inFlight).toBe(1);
    work.resolve(5);
    await expect(result).resolves.toBe(5);
    await expect(run).resolves.toMatchObject({ status: 'completed' });
  });
});

describe('WorkersLifecycle in a launched process', () => {
  const sent: unknown[] = [];
  const AGENT = Symbol.for('@roost/workers/child-agent');
  beforeEach(() => {
    sent.length = 0;
    ChildAgent.install(new ChildAgent((message) => void sent.push(message)));
  });
  afterEach(() => void Reflect.deleteProperty(process, AGENT));

  const inFlight = () => {
    ChildAgent.current!.receive({ roost: 'status', id: 1 });
    return (sent.at(-1) as { inFlight?: number }).inFlight;
  };

  it('reports that it is up when all processes have started, and its in-flight work', async () => {
    const app = await apps.http({ providers: [Poller] });
    app.get(CoordinatedShutdown).addInFlightGauge(() => 3);
    expect(sent).toEqual([]);
    await app.init();
    expect(sent).toEqual([{ roost: 'ready' }]);
    expect(app.get(Workers).describe()).toMatchObject([{ state: 'running' }]);

    const work = deferred();
    const done = app.get(Workers).runGracefully(() => work.promise);
    expect(inFlight()).toBe(4);
    work.resolve();
    await done;
    expect(inFlight()).toBe(3);
  });

  it('counts only its own work when no other part counts any', async () => {
    await apps.context({ providers: [Poller] });
    expect(inFlight()).toBe(0);
  });
});
