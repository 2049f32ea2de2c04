import { Controller, Get } from '@nestjs/common';
import { HealthCheck, HealthCheckService, TerminusModule } from '@nestjs/terminus';
import { ManualClock } from '@roost/time/testing';
import { type RunToken, restartBackoff, neverRestart, Workers } from './index.js';
import { ADAPTERS, Apps } from './nest-app.fixture.js';
import * as terminus from './terminus.js';

const { WorkersHealthIndicator } = terminus;
const apps = new Apps();
afterEach(() => apps.closeAll());

@Controller()
class Health {
  constructor(
    private readonly health: HealthCheckService,
    private readonly workers: terminus.WorkersHealthIndicator,
  ) {}

  @HealthCheck()
  @Get('live')
  live(): Promise<unknown> {
    return this.health.check([() => this.workers.isHealthy()]);
  }
}

const metadata = {
  imports: [TerminusModule.forRoot({ logger: false })],
  controllers: [Health],
  providers: [WorkersHealthIndicator],
};

const idle = (run: RunToken) => run.sleep(Infinity);
const fail = () => Promise.reject(new Error('no broker'));

describe('@roost/workers/terminus', () => {
  it('exports', () => expect(Object.keys(terminus)).toEqual(['WorkersHealthIndicator']));
});

describe('WorkersHealthIndicator', () => {
  const setup = async () => {
    const clock = new ManualClock();
    const restart = restartBackoff({ minMs: 100, jitter: 0 });
    const app = await apps.context({ ...metadata, workers: { clock, restart } });
    return { clock, workers: app.get(Workers), indicator: app.get(WorkersHealthIndicator) };
  };

  it('is up without processes, and with running or finished ones', async () => {
    const { clock, workers, indicator } = await setup();
    expect(indicator.isHealthy()).toEqual({ workers: { status: 'up', processes: {} } });

    workers.add({ name: 'a', handle: idle });
    workers.add({ name: 'b', handle: () => undefined });
    await clock.advanceAsync(12);
    expect(indicator.isHealthy('background')).toEqual({
      background: {
        status: 'up',
        processes: {
          a: { state: 'running', sinceMs: 12, steps: 0, restarts: 0, inFlight: 0 },
          b: { state: 'stopped', sinceMs: 12, steps: 0, restarts: 0, inFlight: 0 },
        },
      },
    });
  });

  it('is degraded while a process waits for its restart, and down in a crash loop', async () => {
    const { clock, workers, indicator } = await setup();
    workers.add({ name: 'a', handle: idle });
    workers.add({ name: 'b', handle: fail });
    await clock.advanceAsync(0);
    expect(indicator.isHealthy()).toMatchObject({
      workers: {
        status: 'degraded',
        restarting: ['b'],
        processes: { b: { state: 'restarting', restarts: 1, lastError: 'no broker' } },
      },
    });

    await clock.advanceAsync(300);
    expect(indicator.isHealthy()).toMatchObject({ workers: { status: 'down', crashLoops: ['b'], failed: [] } });
  });

  it('is down when a process will not be restarted', async () => {
    const { clock, workers, indicator } = await setup();
    workers.add({ name: 'b', handle: fail, restart: neverRestart() });
    await clock.advanceAsync(0);
    expect(indicator.isHealthy()).toMatchObject({
      workers: { status: 'down', failed: ['b'], crashLoops: [], processes: { b: { state: 'failed' } } },
    });
  });

  it('does not change because of a shutdown', async () => {
    const { clock, workers, indicator } = await setup();
    workers.add({ name: 'a', handle: () => new Promise((end) => void clock.setTimer(50, () => end(1))) });
    workers.add({ name: 'b', handle: fail });
    await clock.advanceAsync(40);
    workers.requestStop();
    expect(indicator.isHealthy()).toMatchObject({
      workers: { status: 'up', processes: { a: { state: 'stopping' }, b: { state: 'stopped' } } },
    });
    await clock.advanceAsync(10);
  });

  it('lists a failed process in a crash loop once, and drops a crash loop that a shutdown has stopped', async () => {
    const { clock, workers, indicator } = await setup();
    const restart = restartBackoff({ minMs: 100, jitter: 0, maxRestarts: 2 });
    workers.add({ name: 'a', handle: fail, restart });
    workers.add({ name: 'b', handle: fail });
    await clock.advanceAsync(300);
    expect(indicator.isHealthy()).toMatchObject({ workers: { failed: ['a'], crashLoops: ['b'] } });

    workers.requestStop();
    expect(indicator.isHealthy()).toMatchObject({ workers: { status: 'down', failed: ['a'], crashLoops: [] } });
  });

  it.each(ADAPTERS)('works in a probe on %s', async (_, adapter) => {
    const app = await apps.http(metadata, adapter());
    await app.listen(0, '127.0.0.1');
    const status = async () => (await fetch(`${await app.getUrl()}/live`, { headers: { connection: 'close' } })).status;
    expect(await status()).toBe(200);
    app.get(Workers).add({ name: 'b', handle: fail, restart: neverRestart() });
    await new Promise(setImmediate);
    expect(await status()).toBe(503);
  });
});
