import { Controller, Get, Injectable, Module } from '@nestjs/common';
import { HealthCheckService, TerminusModule } from '@nestjs/terminus';
import { CoordinatedShutdownModule, Phase } from '@roost/shutdown';
import { TestApps } from '@roost/shutdown/testing';
import { ADAPTERS, Apps, ask, duringPhase, statuses } from './health-app.fixture.js';
import { DuplicateProbesError, HealthModule, HealthShutdownMissingError, ShutdownHealthIndicator } from './index.js';

const apps = new Apps();
afterEach(() => apps.closeAll());

const up = () => ({ mine: { status: 'up' as const } });

@Controller('own')
class OwnController {
  constructor(
    private readonly health: HealthCheckService,
    private readonly shutdown: ShutdownHealthIndicator,
  ) {}

  @Get()
  check() {
    return this.health.check([() => this.shutdown.isHealthy()]);
  }
}

describe('HealthModule without a coordinated shutdown', () => {
  it.each([
    ['as a plain class', HealthModule],
    ['with forRoot()', HealthModule.forRoot()],
    ['with forRoot({ port })', HealthModule.forRoot({ port: 0 })],
    ['with forRootAsync()', HealthModule.forRootAsync({ useFactory: () => ({}) })],
  ])('names the missing module when imported %s', async (_, health) => {
    const error: unknown = await new TestApps().http({ imports: [health] }).catch((reason: unknown) => reason);

    expect(error).toBeInstanceOf(HealthShutdownMissingError);
    expect(error).toMatchObject({ code: 'HEALTH_SHUTDOWN_MISSING', name: 'HealthShutdownMissingError' });
    expect(String(error)).toContain('CoordinatedShutdownModule.forRoot()');
  });

  it('names the missing module when the shutdown is not visible to it', async () => {
    const imports = [CoordinatedShutdownModule.forRoot({ isGlobal: false }), HealthModule.forRoot()];

    await expect(new TestApps().http({ imports })).rejects.toThrow(HealthShutdownMissingError);
  });
});

describe('HealthModule without forRoot()', () => {
  it("has no routes, and provides its indicator to the importing module's Terminus controller", async () => {
    const app = await apps.listening({ imports: [HealthModule, TerminusModule], controllers: [OwnController] });
    const seen: unknown[] = [];
    duringPhase(app, Phase.ServiceUnbind, async () => seen.push(await ask(app, '/own')));

    expect(await statuses(app)).toEqual([404, 404, 404]);
    expect(await ask(app, '/own')).toMatchObject({ status: 200, body: { info: { shutdown: { status: 'up' } } } });
    await app.close();

    const shutdown = { status: 'down', phase: 'service-unbind', reason: 'application-close' };
    expect(seen).toMatchObject([{ status: 503, body: { error: { shutdown } } }]);
  });

  it('can be imported in a feature module in addition to forRoot() in the root', async () => {
    @Module({ imports: [HealthModule, TerminusModule], controllers: [OwnController] })
    class Feature {}
    const app = await apps.listening({ imports: [HealthModule.forRoot(), Feature] });

    expect(await statuses(app)).toEqual([200, 200, 200]);
    expect(await ask(app, '/own')).toMatchObject({ status: 200 });
  });
});

describe.each(ADAPTERS)('HealthModule.forRoot() on %s', (_, createAdapter) => {
  it('works without options', async () => {
    const app = await apps.listening({ imports: [HealthModule.forRoot()] }, createAdapter());
    expect(await statuses(app)).toEqual([200, 200, 200]);
  });

  it('provides its indicator to every module, unless isGlobal is false', async () => {
    @Module({ imports: [TerminusModule], controllers: [OwnController] })
    class Feature {}

    const app = await apps.listening({ imports: [HealthModule.forRoot(), Feature] }, createAdapter());
    expect(await ask(app, '/own')).toMatchObject({ status: 200 });

    const hidden = apps.http({ imports: [HealthModule.forRoot({ isGlobal: false }), Feature] }, createAdapter());
    await expect(hidden).rejects.toThrow(/can't resolve dependencies of the OwnController/);
  });

  it('fails the boot when two have the same path', async () => {
    @Module({ imports: [HealthModule.forRoot({ path: '/health/', indicators: { ready: [up] } })] })
    class Feature {}

    const created = apps.http({ imports: [HealthModule.forRoot(), Feature] }, createAdapter());

    const error: unknown = await created.catch((reason: unknown) => reason);

    expect(error).toBeInstanceOf(DuplicateProbesError);
    expect(error).toMatchObject({ code: 'HEALTH_DUPLICATE_PROBES', path: 'health' });
  });

  it('can be imported twice with different paths and indicators', async () => {
    const imports = [HealthModule.forRoot(), HealthModule.forRoot({ path: 'deep', indicators: { live: [up] } })];
    const app = await apps.listening({ imports }, createAdapter());

    expect((await ask(app, '/health/live')).body.details).toEqual({});
    expect((await ask(app, '/deep/live')).body.details).toEqual({ mine: { status: 'up' } });
  });

  it('can serve routes and a separate port at the same time', async () => {
    const imports = [HealthModule.forRoot(), HealthModule.forRoot({ port: 0, host: '127.0.0.1' })];
    const app = await apps.listening({ imports }, createAdapter());

    expect(await statuses(app)).toEqual([200, 200, 200]);
    expect(await statuses(apps.probePort)).toEqual([200, 200, 200]);
  });
});

describe('HealthModule.forRootAsync()', () => {
  it('reads the indicators from a factory with dependencies, and path and port next to it', async () => {
    @Module({ providers: [{ provide: 'CHECK', useValue: up }], exports: ['CHECK'] })
    class Checks {}
    const options = {
      imports: [Checks],
      inject: ['CHECK'],
      useFactory: async (check: typeof up) => ({ indicators: { live: [check] } }),
    };

    const app = await apps.listening({ imports: [HealthModule.forRootAsync({ ...options, path: 'probes' })] });
    expect((await ask(app, '/probes/live')).body.details).toEqual({ mine: { status: 'up' } });

    const onPort = HealthModule.forRootAsync({ ...options, port: 0, host: '127.0.0.1' });
    const other = await apps.listening({ imports: [onPort] });
    expect((await ask(apps.probePort, '/health/live')).body.details).toEqual({ mine: { status: 'up' } });
    expect(await statuses(other)).toEqual([404, 404, 404]);
  });

  it('reads the options from a class', async () => {
    @Injectable()
    class Options {
      createHealthOptions() {
        return { indicators: { startup: [up] } };
      }
    }
    const app = await apps.listening({ imports: [HealthModule.forRootAsync({ useClass: Options })] });

    expect((await ask(app, '/health/startup')).body.details).toMatchObject({ mine: { status: 'up' } });
  });

  it('fails the boot when the factory returns an option it cannot set', async () => {
    const wrong = HealthModule.forRootAsync({ useFactory: () => ({ port: 80 }) as object });

    await expect(apps.http({ imports: [wrong] })).rejects.toMatchObject({
      code: 'HEALTH_INVALID_OPTION',
      option: 'port',
      message: expect.stringContaining('passed next to `useFactory`') as string,
    });
  });
});
