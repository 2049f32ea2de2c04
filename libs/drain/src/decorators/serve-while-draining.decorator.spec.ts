import {
  Controller,
  Delete,
  Get,
  type INestApplication,
  Patch,
  Post,
  Put,
  type Type,
  VersioningType,
} from '@nestjs/common';
import { CoordinatedShutdown } from '@roost/shutdown';
import { Drain } from '../core/index.js';
import { until } from '../core/until.fixture.js';
import { DrainService, ExemptRoutePatternError, ServeWhileDraining } from '../index.js';
import { ADAPTERS, Apps, connectTo } from '../nest-app.fixture.js';

const { jest } = import.meta;
jest.setTimeout(30_000);
const apps = new Apps();
let letGo = (): void => undefined;
afterEach(async () => {
  letGo();
  letGo = () => undefined;
  await apps.closeAll();
});

/** Starts a shutdown that stays in the middle of the drain, because work is in flight until it is released. */
async function holdDrain(app: INestApplication): Promise<void> {
  const { meter } = app.get(Drain);
  meter.began();
  letGo = () => meter.ended();
  void app.get(CoordinatedShutdown).run();
  await until(() => app.get(DrainService).signal.aborted);
}

async function statusOf(app: INestApplication, line: string, ...headers: string[]): Promise<number> {
  const client = await connectTo(app);
  client.request(line, 'Connection: close', ...headers);
  await client.untilClosed();
  return client.statuses[0]!;
}

@Controller('probe')
class Probe {
  @ServeWhileDraining()
  @Get('live')
  live(): string {
    return 'alive';
  }

  @Get('other')
  other(): string {
    return 'other';
  }
}

@ServeWhileDraining()
@Controller('admin')
class Admin {
  @Get()
  root(): string {
    return 'root';
  }

  @Post('a')
  @Put('b')
  a(): string {
    return 'a';
  }

  @Put('put')
  put(): string {
    return 'put';
  }

  @Patch('patch')
  patch(): string {
    return 'patch';
  }

  @Delete('delete')
  delete(): string {
    return 'delete';
  }

  @Get(['one', 'two'])
  several(): string {
    return 'several';
  }
}

describe.each(ADAPTERS)('@ServeWhileDraining on %s', (_, adapter) => {
  const start = async (controllers: Type[], configure?: (app: INestApplication) => unknown) => {
    const app = await apps.listening({ controllers, drain: { settleMs: 1 } }, adapter(), configure);
    await holdDrain(app);
    return app;
  };

  it('serves the marked route for GET and HEAD, and refuses its neighbour', async () => {
    const app = await start([Probe]);

    expect(await statusOf(app, 'GET /probe/live')).toBe(200);
    expect(await statusOf(app, 'GET /probe/live?verbose')).toBe(200);
    expect(await statusOf(app, 'HEAD /probe/live')).toBe(200);
    expect(await statusOf(app, 'GET /probe/other')).toBe(503);
    expect(await statusOf(app, 'GET /nowhere')).toBe(503);
  });

  it('serves every route of a marked controller, whatever its method', async () => {
    const app = await start([Admin]);
    const lines = ['GET /admin', 'GET /admin/one', 'GET /admin/two', 'PUT /admin/put', 'PATCH /admin/patch'];
    for (const line of [...lines, 'DELETE /admin/delete'])
      expect([line, await statusOf(app, line)]).toEqual([line, 200]);
  });

  it('supports a global prefix', async () => {
    const app = await start([Probe], (app) => app.setGlobalPrefix('api'));

    expect(await statusOf(app, 'GET /api/probe/live')).toBe(200);
    expect(await statusOf(app, 'GET /probe/live')).toBe(503);
  });

  it('supports versions in the path', async () => {
    @Controller({ path: 'probe', version: ['1', '2'] })
    class Versioned {
      @ServeWhileDraining()
      @Get('live')
      live(): string {
        return 'alive';
      }
    }
    const app = await start([Versioned], (app) => app.enableVersioning({ type: VersioningType.URI }));

    expect(await statusOf(app, 'GET /v1/probe/live')).toBe(200);
    expect(await statusOf(app, 'GET /v2/probe/live')).toBe(200);
    expect(await statusOf(app, 'GET /v3/probe/live')).toBe(503);
  });

  it('supports versions in a header', async () => {
    @Controller({ path: 'probe', version: '1' })
    class Versioned {
      @ServeWhileDraining()
      @Get('live')
      live(): string {
        return 'alive';
      }
    }
    const app = await start([Versioned], (app) =>
      app.enableVersioning({ type: VersioningType.HEADER, header: 'X-Version' }),
    );

    expect(await statusOf(app, 'GET /probe/live', 'X-Version: 1')).toBe(200);
  });

  it.each([':id', '*path'])('rejects a path such as %s at boot', async (path) => {
    @Controller('orders')
    class Orders {
      @ServeWhileDraining()
      @Get(path)
      one(): string {
        return 'one';
      }
    }
    const booted = apps.listening({ controllers: [Orders] }, adapter());

    await expect(booted).rejects.toThrow(ExemptRoutePatternError);
    await expect(booted).rejects.toMatchObject({ code: 'DRAIN_EXEMPT_PATTERN', path: `/orders/${path}` });
  });

  it('ignores unmarked routes with parameters', async () => {
    @Controller('orders')
    class Orders {
      @Get(':id')
      one(): string {
        return 'one';
      }
    }
    const app = await apps.listening({ controllers: [Orders] }, adapter());

    expect(await statusOf(app, 'GET /orders/7')).toBe(200);
  });
});
