import { AppProcess } from '../support/app-process.js';
import { describeWithDocker } from './engine.js';
import { Stack } from './stack.js';
import { until } from '../support/until.js';

const SERVICES = ['source', 'left', 'right', 'join', 'sink', 'coordinator'];

const describePipeline = await describeWithDocker();

describePipeline('the pipeline in containers', () => {
  let stack: Stack;

  const start = (seconds: number): Promise<void> =>
    stack.project.up(['nats', ...SERVICES], { env: { PIPELINE_SECONDS: String(seconds) } });

  const exitCodes = (): Promise<number[]> => Promise.all(SERVICES.map(exitCode));

  const exitCode = async (service: string): Promise<number> => {
    const container = await stack.project.container(service);
    expect(container.status).toBe('exited');
    // The first service to receive the stop stops the graph and thereby all other services. The signal for another
    // service may arrive when its shutdown is complete and Node is about to exit. That service then ends by the signal.
    const isOver = /shutdown completed in .*, exit code 0/.test(await stack.project.logs(service));
    return container.exitCode === 143 && isOver ? 0 : container.exitCode;
  };

  /** The tag at which the graph stopped and the digest of its trace, as logged by each service. */
  const ends = async (): Promise<string[]> => {
    const logs = await Promise.all(SERVICES.map((service) => stack.project.logs(service)));
    return logs.map((log) => /stopped at (.*, digest [0-9a-f]+)/.exec(log)?.[1] ?? log);
  };

  beforeAll(async () => {
    stack = await Stack.start({ withNats: true });
  }, 300_000);

  afterAll(() => stack?.stop(), 60_000);
  afterEach(() => AppProcess.killAll());

  it('runs to completion, with the same result as in processes on one machine', async () => {
    const since = Date.now();
    await start(2);
    const local = new AppProcess('apps/pipeline/dist/main.js', { env: { PIPELINE_SECONDS: '2' } });
    const digest = await local.line(/^digest /);
    for (const service of SERVICES) await stack.project.events.event(/^die/, { of: service, after: since });

    expect(await exitCodes()).toEqual([0, 0, 0, 0, 0, 0]);
    expect(await stack.project.logs('coordinator')).toContain(digest);
    const [end, ...others] = await ends();
    expect(`digest ${end}`).toContain(digest.replace('digest ', ''));
    expect(new Set(others)).toEqual(new Set([end]));
  }, 90_000);

  it('stops all services at one tag with exit code 0 when it is stopped in the middle', async () => {
    await start(600);
    await until('the first second', async () => (await stack.project.logs('sink')).includes(' 1 s '), 60_000);
    const since = Date.now();
    await stack.project.run('stop');

    expect(await exitCodes()).toEqual([0, 0, 0, 0, 0, 0]);
    const [end, ...others] = await ends();
    expect(end).toMatch(/^\(.+\), digest/);
    expect(new Set(others)).toEqual(new Set([end]));
    const kills = SERVICES.flatMap((service) => stack.project.events.since(since, service));
    expect(kills).toContain('kill 15');
    expect(kills).not.toContain('kill 9');
  }, 120_000);
});
