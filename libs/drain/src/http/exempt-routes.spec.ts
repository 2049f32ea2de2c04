import type { HttpServer } from '@nestjs/common';
import { MissingMethodError, SERVE_WHILE_DRAINING } from '@roost/kernel';
import { Drain } from '../core/index.js';
import { exemptMarkedRoutes } from './exempt-routes.js';

const METHODS = ['get', 'head', 'post', 'put', 'patch', 'delete', 'options', 'all'];

/** An adapter that records its routes. */
const adapterWith = (methods: readonly string[]) => {
  const routes: string[] = [];
  const register = (method: string) => (path: string) => routes.push(`${method} ${path}`);
  const adapter = Object.fromEntries(methods.map((method) => [method, register(method)]));
  return { routes, adapter: adapter as unknown as Required<HttpServer> };
};

const marked = (): (() => void) => {
  const handler = () => undefined;
  Reflect.defineMetadata(SERVE_WHILE_DRAINING, true, handler);
  return handler;
};

describe('exemptMarkedRoutes', () => {
  it('exempts routes with marked handlers, and registers all routes', () => {
    const { adapter, routes } = adapterWith([...METHODS, 'search']);
    const drain = new Drain();
    exemptMarkedRoutes(adapter, drain);
    adapter.get('/live', marked());
    adapter.search('/find', marked());
    adapter.post('/orders', () => undefined);

    expect(routes).toEqual(['get /live', 'search /find', 'post /orders']);
    const paths = ['/live', '/find', '/orders'].filter((url) => drain.exemptions.has({ url, headers: {} }));
    expect(paths).toEqual(['/live', '/find']);
  });

  it('works without the optional adapter methods', () => {
    const { adapter } = adapterWith(METHODS);
    exemptMarkedRoutes(adapter, new Drain());

    expect(Object.keys(adapter)).not.toContain('propfind');
  });

  it.each(METHODS)('fails when the adapter has no %s()', (method) => {
    const { adapter } = adapterWith(METHODS.filter((other) => other !== method));

    expect(() => exemptMarkedRoutes(adapter, new Drain())).toThrow(MissingMethodError);
  });
});
