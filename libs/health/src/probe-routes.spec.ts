import {
  type CanActivate,
  Catch,
  Controller,
  type ExecutionContext,
  type ExceptionFilter,
  Get,
  HttpException,
  type INestApplication,
  type NestInterceptor,
  SetMetadata,
  type VersioningOptions,
  VersioningType,
} from '@nestjs/common';
import { APP_FILTER, APP_GUARD, APP_INTERCEPTOR } from '@nestjs/core';
import { Phase } from '@roost/shutdown';
import { map } from 'rxjs';
import { ADAPTERS, Apps, ask, duringPhase, statuses } from './health-app.fixture.js';
import { HealthModule } from './index.js';

const apps = new Apps();
afterEach(() => apps.closeAll());

@Controller({ path: 'hello', version: '1' })
class Hello {
  @Get()
  hello() {
    return { hello: 'world' };
  }
}

/** For tests whose indicators are down. */
const down = () => ({ database: { status: 'down' as const, message: 'gone' } });

describe.each(ADAPTERS)('Probe routes on %s', (_, createAdapter) => {
  const listening = (
    options: Parameters<typeof HealthModule.forRoot>[0] = {},
    configure?: (app: INestApplication) => unknown,
    metadata: Parameters<Apps['http']>[0] = {},
  ) =>
    apps.listening(
      { imports: [HealthModule.forRoot(options)], controllers: [Hello], ...metadata },
      createAdapter(),
      configure,
    );

  it('answer in the format of Terminus', async () => {
    const app = await listening();

    const ready = await ask(app, '/health/ready');

    expect(ready.body).toEqual({
      status: 'ok',
      info: { shutdown: { status: 'up' } },
      error: {},
      details: { shutdown: { status: 'up' } },
    });
    expect(ready.headers).toMatchObject({
      'content-type': 'application/json; charset=utf-8',
      'cache-control': 'no-store',
    });
    expect((await ask(app, '/health/live')).body.details).toEqual({});
    expect((await ask(app, '/health/startup')).body.details).toEqual({ boot: { status: 'up' } });
  });

  it('answer HEAD like GET, without the body', async () => {
    const app = await listening({ indicators: { startup: [down] } });

    for (const [probe, status] of [
      ['live', 200],
      ['ready', 200],
      ['startup', 503],
    ] as const) {
      const head = await ask(app, `/health/${probe}`, { method: 'HEAD' });
      const get = await ask(app, `/health/${probe}`);
      expect([head.status, get.status]).toEqual([status, status]);
      expect(head.text).toBe('');
      expect(head.headers['cache-control']).toBe('no-store');
      expect(head.headers['content-length']).toBe(String(Buffer.byteLength(get.text)));
    }
    expect((await ask(app, '/health/live', { method: 'POST' })).status).toBe(404);
  });

  it('report ready as down during the phases, while live and startup stay up', async () => {
    const app = await listening();
    const seen: unknown[] = [];
    duringPhase(app, Phase.ServiceUnbind, async () => seen.push(await statuses(app), await ask(app, '/health/ready')));

    expect(await statuses(app)).toEqual([200, 200, 200]);
    await app.close();

    const shutdown = { status: 'down', phase: 'service-unbind', reason: 'application-close' };
    expect(seen).toMatchObject([[200, 503, 200], { body: { status: 'error', error: { shutdown } } }]);
  });

  it('are under the global prefix', async () => {
    const app = await listening({}, (it) => it.setGlobalPrefix('api'));

    expect(await statuses(app, '/api/health')).toEqual([200, 200, 200]);
    expect(await statuses(app)).toEqual([404, 404, 404]);
  });

  it('are outside the global prefix when they are excluded from it', async () => {
    const app = await listening({}, (it) => it.setGlobalPrefix('api', { exclude: ['health/{*probe}'] }));

    expect(await statuses(app)).toEqual([200, 200, 200]);
    expect(await statuses(app, '/api/health')).toEqual([404, 404, 404]);
    expect((await ask(app, '/api/hello')).status).toBe(200);
  });

  it('are served at `path`', async () => {
    const app = await listening({ path: '/internal/probes' }, (it) => it.setGlobalPrefix('api'));

    expect(await statuses(app, '/api/internal/probes')).toEqual([200, 200, 200]);
  });

  const versionings: [string, VersioningOptions, string, Record<string, string>][] = [
    ['URI', { type: VersioningType.URI }, '/v1/hello', {}],
    ['URI with a default', { type: VersioningType.URI, defaultVersion: '1' }, '/v1/hello', {}],
    ['header', { type: VersioningType.HEADER, header: 'x-version' }, '/hello', { 'x-version': '1' }],
    ['media type', { type: VersioningType.MEDIA_TYPE, key: 'v=' }, '/hello', { accept: 'application/json;v=1' }],
    [
      'custom',
      { type: VersioningType.CUSTOM, extractor: (request) => (request as Request).headers['x-v' as never] ?? '' },
      '/hello',
      { 'x-v': '1' },
    ],
  ];

  it.each(versionings)('have no version, with %s versioning', async (_type, versioning, path, headers) => {
    const app = await listening({}, (it) => it.enableVersioning(versioning));

    expect(await statuses(app)).toEqual([200, 200, 200]);
    for (const probe of ['live', 'ready', 'startup']) {
      expect((await ask(app, `/health/${probe}`, { headers })).status).toBe(200);
    }
    expect((await ask(app, path, { headers })).status).toBe(200);
  });

  it('have no version and stay below the prefix, with a prefix and URI versioning', async () => {
    const app = await listening({}, (it) => it.setGlobalPrefix('api').enableVersioning({ type: VersioningType.URI }));

    expect(await statuses(app, '/api/health')).toEqual([200, 200, 200]);
    expect((await ask(app, '/api/v1/hello')).status).toBe(200);
  });

  it('are behind a global guard, and pass it with decorators', async () => {
    const Public = () => SetMetadata('public', true);
    class Closed implements CanActivate {
      canActivate(context: ExecutionContext): boolean {
        return Reflect.getMetadata('public', context.getClass()) === true;
      }
    }
    const metadata = { providers: [{ provide: APP_GUARD, useClass: Closed }] };

    const closed = await listening({}, undefined, metadata);
    expect(await statuses(closed)).toEqual([403, 403, 403]);

    const open = await listening({ decorators: [Public()] }, undefined, metadata);
    expect(await statuses(open)).toEqual([200, 200, 200]);
    expect((await ask(open, '/hello')).status).toBe(403);
  });

  it('apply decorators as if written above the class, the last one first', async () => {
    const order: string[] = [];
    const note =
      (name: string): ClassDecorator =>
      () =>
        void order.push(name);
    class Replaced {}
    const replace: ClassDecorator = () => Replaced as never;

    const { controllers } = HealthModule.forRoot({ decorators: [note('first'), note('second')] });
    expect(order).toEqual(['second', 'first']);
    expect(controllers).toHaveLength(1);

    expect(HealthModule.forRoot({ decorators: [replace] }).controllers).toEqual([Replaced]);
  });

  it('are not changed by global interceptors and filters', async () => {
    class Wrap implements NestInterceptor {
      intercept: NestInterceptor['intercept'] = (_context, next) =>
        next.handle().pipe(map((data: unknown) => ({ data })));
    }
    @Catch()
    class Teapot implements ExceptionFilter {
      catch(_error: unknown, host: Parameters<ExceptionFilter['catch']>[1]): void {
        host.switchToHttp().getResponse<{ status(code: number): { send(body: unknown): void } }>().status(418).send({});
      }
    }
    const metadata = {
      providers: [
        { provide: APP_INTERCEPTOR, useClass: Wrap },
        { provide: APP_FILTER, useClass: Teapot },
      ],
    };
    const app = await listening({ indicators: { startup: [down] } }, undefined, metadata);

    expect((await ask(app, '/hello')).body).toEqual({ data: { hello: 'world' } });
    expect((await ask(app, '/nowhere')).status).toBe(418);
    expect((await ask(app, '/health/live')).body).toEqual({ status: 'ok', info: {}, error: {}, details: {} });
    expect(await ask(app, '/health/startup')).toMatchObject({ status: 503, body: { status: 'error' } });
  });

  it('do not expose a stack', async () => {
    const boom = (): never => {
      throw new HttpException({ secret: 'password' }, 500, { cause: new Error('inner') });
    };
    const app = await listening({ indicators: { live: [boom] } });

    const { status, text, body } = await ask(app, '/health/live');

    expect(status).toBe(503);
    expect(body.error).toEqual({ boom: { status: 'down', message: 'Http Exception' } });
    expect(text).not.toMatch(/password|inner|\bat |\.ts/);
  });
});
