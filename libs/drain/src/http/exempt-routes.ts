import { type HttpServer, RequestMethod } from '@nestjs/common';
import { override, SERVE_WHILE_DRAINING } from '@roost/kernel';
import type { Drain } from '../core/index.js';
import { ExemptRoutePatternError } from '../errors/exempt-route-pattern.error.js';

type Register = (...args: unknown[]) => unknown;

/** Nest registers a route by calling the adapter method of that name: `get`, `post`, `all` and so on. */
const METHODS = Object.values(RequestMethod)
  .filter((name) => typeof name === 'string')
  .map((name) => name.toLowerCase());

/** The methods that every adapter has. The others are optional in Nest's `HttpServer`. */
const REQUIRED: readonly string[] = ['get', 'head', 'post', 'put', 'patch', 'delete', 'options', 'all'];

/**
 * Exempts routes marked with `@ServeWhileDraining()`. It intercepts Nest's route registration, where paths already
 * include the global prefix and version, and handlers carry the metadata of the controller method.
 */
export function exemptMarkedRoutes(adapter: HttpServer, drain: Drain): void {
  const methods = adapter as unknown as Record<string, Register>;
  for (const method of METHODS) {
    if (methods[method] === undefined && !REQUIRED.includes(method)) continue;
    override(methods, method, 'DrainModule', (register) => (...args) => {
      const [path] = args;
      const handler = args.at(-1);
      const isMarked = typeof handler === 'function' && Reflect.getMetadata(SERVE_WHILE_DRAINING, handler) === true;
      if (isMarked && typeof path === 'string') {
        if (/[:*{(]/.test(path)) throw new ExemptRoutePatternError(path);
        drain.exemptions.add(path);
      }
      return register.call(adapter, ...args);
    });
  }
}
