import { Injectable, Module, Scope } from '@nestjs/common';
import { HealthIndicatorService, MemoryHealthIndicator } from '@nestjs/terminus';
import { deferred } from '@roost/kernel';
import { CoordinatedShutdown, Phase } from '@roost/shutdown';
import { ManualClock } from '@roost/time/testing';
import { Apps, ask, duringPhase } from './health-app.fixture.js';
import { HealthModule, type HealthOptions, type ProbeIndicator } from './index.js';
import { Probes } from './probes.js';

const apps = new Apps();
afterEach(() => apps.closeAll());

const listening = (options: HealthOptions, metadata: Parameters<Apps['http']>[0] = {}) =>
  apps.listening({ imports: [HealthModule.forRoot(options)], ...metadata });

/** Returns the response of the ready probe with one indicator. */
const readyWith = async (indicator: unknown, metadata: Parameters<Apps['http']>[0] = {}) => {
  const app = await listening({ indicators: { ready: [indicator as ProbeIndicator] } }, metadata);
  return ask(app, '/health/ready');
};

@Injectable()
class Disk {
  free = 7;
  constructor(private readonly indicators: HealthIndicatorService) {}
  isHealthy(key = 'disk') {
    return this.indicators.check(key).up({ free: this.free });
  }
}

@Injectable({ scope: Scope.REQUEST })
class RequestScoped {
  isHealthy() {
    return { request: { status: 'up' as const } };
  }
}

describe('Health indicators', () => {
  it.each(['live', 'ready', 'startup'] as const)('of %s affect only that probe', async (probe) => {
    const app = await listening({ indicators: { [probe]: [() => ({ mine: { status: 'down' } })] } });

    for (const name of ['live', 'ready', 'startup']) {
      const { status, body } = await ask(app, `/health/${name}`);
      expect(status).toBe(name === probe ? 503 : 200);
      expect('mine' in body.details!).toBe(name === probe);
    }
  });

  it('can be classes that the application does not provide, and inject Terminus services', async () => {
    expect((await readyWith(Disk)).body.info).toMatchObject({ disk: { status: 'up', free: 7 } });
  });

  it("are the application's instances if it provides them, even in a module that exports nothing", async () => {
    const disk = new Disk(new HealthIndicatorService());
    disk.free = 42;
    @Module({ providers: [{ provide: Disk, useValue: disk }] })
    class Storage {}
    const app = await apps.listening({
      imports: [HealthModule.forRoot({ indicators: { ready: [Disk] } }), Storage],
    });

    expect((await ask(app, '/health/ready')).body.info).toMatchObject({ disk: { free: 42 } });
  });

  it('can be transient, and can have isHealthy as a field', async () => {
    @Injectable({ scope: Scope.TRANSIENT })
    class Transient {
      isHealthy = () => ({ field: { status: 'up' as const } });
    }
    expect((await readyWith(Transient, { providers: [Transient] })).body.info).toMatchObject({
      field: { status: 'up' },
    });
  });

  it.each<[string, unknown, RegExp]>([
    [
      'has no isHealthy()',
      MemoryHealthIndicator,
      /`indicators.ready` is \[class MemoryHealthIndicator.*must be a class with isHealthy\(\)/,
    ],
    [
      'needs a dependency that is not provided',
      (() => {
        @Injectable()
        class Lonely {
          constructor(readonly map: Map<string, string>) {}
          isHealthy = () => ({});
        }
        return Lonely;
      })(),
      /can't resolve dependencies of the Lonely/,
    ],
    [
      'is request-scoped',
      RequestScoped,
      /`indicators.ready` is \[class RequestScoped\], but must be .*request-scoped.*serves all requests/,
    ],
  ])('fail the boot when a class %s', async (_, type, message) => {
    const app = await apps.http({
      imports: [HealthModule.forRoot({ indicators: { ready: [type as ProbeIndicator] } })],
      providers: [RequestScoped],
    });

    await expect(app.init()).rejects.toThrow(message);
  });

  it.each<[string, () => unknown]>([
    [
      'throw',
      function pool() {
        throw new Error('no connection');
      },
    ],
    [
      'reject',
      async function pool() {
        throw new Error('no connection');
      },
    ],
    [
      'reject with a text',
      function pool() {
        // eslint-disable-next-line @typescript-eslint/prefer-promise-reject-errors
        return Promise.reject('no connection');
      },
    ],
  ])('that %s make the probe 503 under their name', async (_, indicator) => {
    const { status, body } = await readyWith(indicator);

    expect(status).toBe(503);
    expect(body.error).toEqual({ pool: { status: 'down', message: 'no connection' } });
    expect(body.info).toEqual({ shutdown: { status: 'up' } });
  });

  it.each<[string, unknown, RegExp]>([
    ['throws a value without text', () => Promise.reject(Object.create(null) as Error), /not an Error/],
    ['returns nothing', () => undefined, /did not return a health indicator result/],
    ['returns a text', () => 'up', /did not return a health indicator result/],
    ['returns a result without a status', () => ({ db: null }), /did not return a health indicator result/],
    ['returns a result that cannot be serialized', () => ({ db: { status: 'up', lag: 5n } }), /BigInt/],
  ])('are down when one %s', async (_, indicator, message) => {
    const { status, body } = await readyWith(indicator);

    expect(status).toBe(503);
    expect(body.error).toEqual({ indicator: { status: 'down', message: expect.stringMatching(message) as string } });
  });

  it('that are degraded keep the probe at 200', async () => {
    const { status, body } = await readyWith(() => ({ cache: { status: 'degraded' } }));

    expect([status, body.status]).toEqual([200, 'degraded']);
  });

  it('that return Terminus attempts are awaited', async () => {
    const indicators = new HealthIndicatorService();
    const { body } = await readyWith(() => indicators.check('query').attempt(async () => ({ rows: 1 })));

    expect(body.info).toMatchObject({ query: { status: 'up', rows: 1 } });
  });

  it('that hang are down after timeoutMs, and their later results are ignored', async () => {
    const clock = new ManualClock();
    const answer = deferred();
    const began = deferred();
    const slow = async () => {
      began.resolve();
      await answer.promise;
      return { slow: { status: 'up' as const } };
    };
    const app = await listening({ indicators: { ready: [slow] }, timeoutMs: 300 }, { shutdown: { clock } });
    const probe = app.get(Probes, { strict: false }).answer('ready');
    await began.promise;

    await clock.advanceAsync(299);
    expect(clock.pendingTimers).toBe(1);
    await clock.advanceAsync(1);

    const { status, body } = await probe;
    expect(status).toBe(503);
    expect(body.error).toEqual({ slow: { status: 'down', message: 'no answer within 300 ms' } });
    answer.resolve();
    await clock.advanceAsync(0);
    expect(clock.pendingTimers).toBe(0);
  });

  it('leave no timer behind when they answer', async () => {
    const clock = new ManualClock();
    const app = await listening({ indicators: { ready: [Disk] } }, { shutdown: { clock } });

    expect((await ask(app, '/health/ready')).status).toBe(200);

    expect(clock.pendingTimers).toBe(0);
  });

  it('of ready are not called once the shutdown has started, but those of live are', async () => {
    const asked: string[] = [];
    const note = (name: string) => () => {
      asked.push(name);
      return { [name]: { status: 'up' as const } };
    };
    const app = await listening({ indicators: { ready: [note('ready')], live: [note('live')] } });
    duringPhase(app, Phase.ServiceUnbind, async () => {
      asked.length = 0;
      await ask(app, '/health/ready');
      await ask(app, '/health/live');
    });

    await app.close();

    expect(asked).toEqual(['live']);
  });
});

describe('Log lines of probes', () => {
  it('report only changes from up to down and back', async () => {
    let status: 'up' | 'down' = 'down';
    const app = await listening({ indicators: { live: [() => ({ db: { status } })] } });
    const askTwice = async () => {
      await ask(app, '/health/live');
      await ask(app, '/health/live');
    };

    await askTwice();
    status = 'up';
    await askTwice();

    expect(apps.logger.of('Health')).toEqual([
      'error [Health] probe live is down: {"db":{"status":"down"}}',
      'log [Health] probe live is up again',
    ]);
  });

  it('are omitted during boot and shutdown', async () => {
    const app = await apps.http({ imports: [HealthModule.forRoot()] });
    const probes = app.get(Probes, { strict: false });
    expect(await probes.answer('ready')).toMatchObject({
      status: 503,
      body: { error: { shutdown: { status: 'down', message: 'booting' } } },
    });
    expect(await probes.answer('startup')).toMatchObject({
      status: 503,
      body: { error: { boot: { status: 'down', message: 'booting' } } },
    });
    await app.init();
    let whileDraining: unknown;
    duringPhase(app, Phase.ServiceUnbind, async () => (whileDraining = await probes.answer('ready')));

    await app.close();

    expect(whileDraining).toMatchObject({ status: 503 });
    expect(apps.logger.of('Health', 'HealthCheckService')).toEqual([]);
  });
});

describe("Probes after Terminus' own shutdown hook", () => {
  it.each([
    ['up', 200, 'ok'],
    ['degraded', 200, 'degraded'],
    ['down', 503, 'shutting_down'],
  ] as const)('answer live with an indicator that is %s with %i and %s', async (state, status, text) => {
    const app = await listening({ indicators: { live: [() => ({ own: { status: state } })] } });
    const probes = app.get(Probes, { strict: false });

    await app.close();

    expect(app.get(CoordinatedShutdown).state).toBe('stopped');
    expect(await probes.answer('live')).toMatchObject({ status, body: { status: text } });
    expect(await probes.answer('startup')).toMatchObject({ status: 200 });
    expect(await probes.answer('ready')).toMatchObject({ status: 503 });
  });

  it('forward an error that is not a Terminus response', async () => {
    const app = await listening({});
    const probes = app.get(Probes, { strict: false });
    const broken = new Error('broken');
    Object.defineProperty(app.get(CoordinatedShutdown), 'booted', {
      get: () => {
        throw broken;
      },
      configurable: true,
    });

    await expect(probes.answer('startup')).rejects.toBe(broken);
    const answer = await ask(app, '/health/startup');
    Reflect.deleteProperty(app.get(CoordinatedShutdown), 'booted');

    expect(answer.status).toBe(500);
    expect(answer.body).toEqual({ statusCode: 500, message: 'Internal server error' });
  });
});
