import { Controller, Get, type HttpServer, Post, RequestMethod, SetMetadata } from '@nestjs/common';
import { override } from '@roost/kernel';
import type { Server } from 'node:http';
import { ADAPTERS } from '../support/http-adapters.js';
import { createHttp } from './apps.js';

const MARK = 'contract:mark';

@Controller('things')
class Things {
  @Get('marked')
  @SetMetadata(MARK, true)
  marked(): string {
    return 'marked';
  }

  @Post()
  plain(): string {
    return 'plain';
  }
}

type Register = (...args: unknown[]) => unknown;
type Registrar = Record<'get' | 'post', Register>;

describe.each(ADAPTERS)('The HTTP adapter of %s', (_, create) => {
  it('registers routes through its methods, with the full path and the metadata of the handler', async () => {
    const adapter = create();
    const routes: unknown[] = [];
    for (const method of ['get', 'post'] as const) {
      override(adapter as unknown as Registrar, method, 'a spec', (register) => (...args) => {
        const handler = args.at(-1) as object;
        routes.push([method, args[0], Reflect.getMetadata(MARK, handler)]);
        return register.apply(adapter, args);
      });
    }
    const app = await createHttp({ controllers: [Things] }, adapter);
    app.setGlobalPrefix('api');
    await app.init();
    expect(routes).toContainEqual(['get', '/api/things/marked', true]);
    expect(routes).toContainEqual(['post', '/api/things', undefined]);
    await app.close();
  });

  it('has a method for each kind of request that Nest can register', () => {
    const adapter = create() as unknown as Record<string, unknown>;
    const names = Object.values(RequestMethod).filter((name) => typeof name === 'string');
    const missing = names.map((name) => name.toLowerCase()).filter((name) => typeof adapter[name] !== 'function');
    expect(missing).toEqual([]);
  });

  it('knows its type, its instance and, after creation, its server', async () => {
    const app = await createHttp({}, create());
    const adapter: HttpServer = app.getHttpAdapter();
    expect(['express', 'fastify']).toContain(adapter.getType());
    expect(adapter.getInstance()).toBeTruthy();
    await app.init();
    expect((adapter.getHttpServer() as Server).listening).toBe(false);
    await app.close();
  });
});

describe('Fastify', () => {
  it('stores the servers of further addresses under a symbol, and has an onListen hook', async () => {
    const [, create] = ADAPTERS.find(([name]) => name === 'Fastify')!;
    const app = await createHttp({}, create());
    const fastify = app.getHttpAdapter().getInstance() as unknown as {
      addHook(name: string, hook: (done: () => void) => void): void;
    };
    let bindings: unknown;
    fastify.addHook('onListen', (done) => {
      const key = Object.getOwnPropertySymbols(fastify).find(
        ({ description }) => description === 'fastify.serverBindings',
      );
      bindings = key && (fastify as unknown as Record<symbol, unknown>)[key];
      done();
    });
    await app.listen(0, 'localhost');
    expect(Array.isArray(bindings)).toBe(true);
    await app.close();
  });
});
