import { Controller, Get } from '@nestjs/common';
import { HealthCheck, HealthCheckService, TerminusModule } from '@nestjs/terminus';
import { Drain } from './core/index.js';
import { FakeTarget } from './core/fake-target.fixture.js';
import { ServeWhileDraining } from './index.js';
import { ADAPTERS, Apps, get } from './nest-app.fixture.js';
import { DrainHealthIndicator } from './terminus.js';

const { jest } = import.meta;
jest.setTimeout(30_000);
const apps = new Apps();
afterEach(() => apps.closeAll());

@Controller()
class Health {
  constructor(
    private readonly health: HealthCheckService,
    private readonly drain: DrainHealthIndicator,
  ) {}

  @ServeWhileDraining()
  @HealthCheck()
  @Get('ready')
  ready(): Promise<unknown> {
    return this.health.check([() => this.drain.isHealthy()]);
  }
}

const metadata = {
  imports: [TerminusModule.forRoot({ logger: false })],
  controllers: [Health],
  providers: [DrainHealthIndicator],
};

describe('DrainHealthIndicator', () => {
  const setup = async () => {
    const app = await apps.context(metadata);
    return { indicator: app.get(DrainHealthIndicator), drain: app.get(Drain) };
  };

  it('is up with the number of in-flight requests', async () => {
    const { indicator, drain } = await setup();
    expect(indicator.isHealthy()).toEqual({ drain: { status: 'up', inFlight: 0 } });

    const target = new FakeTarget();
    target.work = [{ name: 'GET /report', ageMs: 12.6 }];
    drain.addTarget(target);
    drain.meter.began();
    expect(indicator.isHealthy('requests')).toEqual({
      requests: { status: 'up', inFlight: 1, oldest: 'GET /report', oldestMs: 13 },
    });
    drain.meter.ended();
  });

  it('is down from the first moment of a shutdown', async () => {
    const { indicator, drain } = await setup();
    drain.announce();
    drain.meter.shed = 3;

    expect(indicator.isHealthy()).toEqual({ drain: { status: 'down', inFlight: 0, refused: 3 } });
  });

  it.each(ADAPTERS)('makes a readiness probe on %s answer 200, then 503', async (_, adapter) => {
    const app = await apps.listening(metadata, adapter());
    expect(await get(app, '/ready')).toMatch(/^HTTP\/1\.1 200[^]*"drain":{"inFlight":1,[^}]*"status":"up"}/);

    app.get(Drain).shed();

    expect(await get(app, '/ready')).toMatch(/^HTTP\/1\.1 503[^]*"drain":{[^}]*"status":"down"/);
  });
});
