import { Controller, Get, Injectable, LoggerService, Module, type Type } from '@nestjs/common';
import { HealthCheckService, TerminusModule } from '@nestjs/terminus';
import { Phase } from '@roost/shutdown';
import { Apps, ask, duringPhase } from './health-app.fixture.js';
import { HealthModule, ShutdownHealthIndicator } from './index.js';

const apps = new Apps();
afterEach(() => apps.closeAll());

let database: 'up' | 'down' = 'up';
beforeEach(() => (database = 'up'));

@Controller('own')
class OwnController {
  constructor(
    private readonly health: HealthCheckService,
    private readonly shutdown: ShutdownHealthIndicator,
  ) {}

  @Get()
  check() {
    return this.health.check([() => this.shutdown.isHealthy(), () => ({ database: { status: database } })]);
  }
}

let own: string[] = [];
beforeEach(() => (own = []));

@Injectable()
class OwnLogger implements LoggerService {
  /** Private, so that a method fails unless it is called on the instance. */
  readonly #lines = own;
  log = () => undefined;
  warn = () => undefined;
  error(message: string): void {
    this.#lines.push(`own ${message}`);
  }
}

const feature = (terminus: Parameters<typeof Module>[0]['imports']): Type => {
  @Module({ imports: terminus, controllers: [OwnController] })
  class Feature {}
  return Feature;
};

const FAILED = 'Health Check has failed! {"shutdown":{"status":"up"},"database":{"status":"down"}}';

describe("Terminus' error log", () => {
  const fromNest = () => apps.logger.lines.filter((line) => line.includes('Health Check has failed!'));

  it.each<[string, () => Type, () => string[], string]>([
    ['its own logger', () => feature([TerminusModule]), fromNest, FAILED],
    [
      'its own logger, forRoot()',
      () => feature([TerminusModule.forRoot({ errorLogStyle: 'pretty' })]),
      fromNest,
      'Health Check has failed!',
    ],
    ['a logger class', () => feature([TerminusModule.forRoot({ logger: OwnLogger })]), () => own, FAILED],
    [
      'a logger from a factory',
      () => feature([TerminusModule.forRootAsync({ useFactory: () => ({ logger: new OwnLogger() as never }) })]),
      () => own,
      FAILED,
    ],
  ])(
    'with %s: reports a failing check while running, and nothing during the shutdown',
    async (_, make, lines, text) => {
      const app = await apps.listening({ imports: [HealthModule.forRoot(), make()] });
      database = 'down';
      expect((await ask(app, '/own')).status).toBe(503);
      expect(lines()).toEqual([expect.stringContaining(text)]);

      const statuses: number[] = [];
      duringPhase(app, Phase.ServiceUnbind, async () => statuses.push((await ask(app, '/own')).status));
      await app.close();

      expect(statuses).toEqual([503]);
      expect(lines()).toHaveLength(1);
    },
  );

  it('of another application does not change, even with the same logger', async () => {
    const logger = new OwnLogger();
    const shared = () => feature([TerminusModule.forRootAsync({ useFactory: () => ({ logger: logger as never }) })]);
    const first = await apps.listening({ imports: [HealthModule.forRoot(), shared()] });
    const second = await apps.listening({ imports: [HealthModule.forRoot(), shared()] });

    await first.close();
    database = 'down';
    expect((await ask(second, '/own')).status).toBe(503);

    expect(own).toEqual([`own ${FAILED}`]);
    expect(Object.keys(logger)).not.toContain('error');
  });

  it('fails the boot when it does not exist, and the error names the part that needs it', async () => {
    const mute = TerminusModule.forRootAsync({ useFactory: () => ({ logger: { log: () => undefined } as never }) });
    const app = await apps.http({ imports: [HealthModule.forRoot(), feature([mute])] });

    await expect(app.init()).rejects.toThrow('HealthModule needs Object.error(), which does not exist.');
  });

  it('does not change when the application has disabled it, or has no logger', async () => {
    @Module({ imports: [TerminusModule.forRoot({ logger: false })], controllers: [OwnController] })
    class Silent {}
    const nothing = TerminusModule.forRootAsync({ useFactory: () => ({ logger: null as never }) });
    const app = await apps.listening({ imports: [HealthModule.forRoot(), Silent, nothing] });
    database = 'down';

    expect((await ask(app, '/own')).status).toBe(503);

    expect(apps.logger.of('HealthCheckService')).toEqual([]);
  });
});
