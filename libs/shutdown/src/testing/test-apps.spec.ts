import { Controller, Get, type INestApplication } from '@nestjs/common';
import { Transport } from '@nestjs/microservices';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import { RecordingLogger } from '@roost/kernel/testing';
import { CoordinatedShutdown, CoordinatedShutdownModule } from '../index.js';
import { TestApps } from './test-apps.js';

const shutdownModule = () => CoordinatedShutdownModule.forRoot({ logger: new RecordingLogger(), signals: [] });

/** Counts Nest's log lines. */
class NestLines {
  count = 0;
  readonly log = (): void => void this.count++;
  readonly warn = this.log;
  readonly error = this.log;
}

describe('TestApps', () => {
  it('creates and boots a context, and closes it', async () => {
    const apps = new TestApps();
    const calls: string[] = [];
    const hooked = {
      provide: 'hooked',
      useValue: { onApplicationBootstrap: () => calls.push('boot'), onModuleDestroy: () => calls.push('destroy') },
    };
    await apps.context({ providers: [hooked] });
    expect(calls).toEqual(['boot']);
    await apps.closeAll();
    expect(calls).toEqual(['boot', 'destroy']);
    await apps.closeAll();
    expect(calls).toEqual(['boot', 'destroy']);
  });

  it('creates HTTP applications on Express or another adapter, and microservices', async () => {
    const apps = new TestApps();
    const http = await apps.http({});
    const fastify = await apps.http({}, new FastifyAdapter());
    const options = { transport: Transport.TCP, options: { host: '127.0.0.1', port: 0 } };
    const service = await apps.microservice({}, options);
    expect([http.getHttpAdapter().getType(), fastify.getHttpAdapter().getType()]).toEqual(['express', 'fastify']);
    await service.listen();
    await apps.closeAll();
  });

  it('creates a listening HTTP application, configured before it boots', async () => {
    const apps = new TestApps();
    @Controller('orders')
    class Orders {
      @Get()
      list(): string {
        return 'all orders';
      }
    }
    const configure = (app: INestApplication) => app.setGlobalPrefix('api');
    const app = await apps.listening({ controllers: [Orders] }, new FastifyAdapter(), configure);

    const response = await fetch(`${await app.getUrl()}/api/orders`, { headers: { connection: 'close' } });
    expect(await response.text()).toBe('all orders');
    await apps.closeAll();
  });

  it('logs nothing, except to a logger in the options', async () => {
    const [all, one] = [new NestLines(), new NestLines()];
    const apps = new TestApps(undefined, { logger: all });
    await apps.context({});
    const size = all.count;
    expect([size > 0, one.count]).toEqual([true, 0]);

    await apps.context({}, { logger: one });
    expect([all.count, one.count > 0]).toEqual([size, true]);
    await apps.closeAll();
  });

  it('waits until the shutdown of each application has terminated', async () => {
    const apps = new TestApps();
    const app = await apps.http({ imports: [shutdownModule()] });
    await app.init();
    await apps.closeAll();
    expect(app.get(CoordinatedShutdown).state).toBe('stopped');
  });

  it('uses the given root module factory, and tracks applications of the test', async () => {
    const apps = new TestApps(({ imports = [], ...metadata }) => ({
      module: class Root {},
      imports: [shutdownModule(), ...imports],
      ...metadata,
    }));
    const app = await apps.context({});
    const tracked = new TestApps();
    tracked.track(app);
    await tracked.closeAll();
    expect(app.get(CoordinatedShutdown).state).toBe('stopped');
  });

  it('returns the error of a failed boot, and rejects if the boot succeeds', async () => {
    const apps = new TestApps();
    const failing = { provide: 'failing', useFactory: () => Promise.reject(new Error('no database')) };
    expect(await apps.bootError({ providers: [failing] })).toMatchObject({ message: 'no database' });
    await expect(apps.bootError({})).rejects.toThrow('Expected the boot to fail, but the application booted.');
  });
});
