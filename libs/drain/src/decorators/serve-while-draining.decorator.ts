import { SERVE_WHILE_DRAINING } from '@roost/kernel';

/**
 * Keeps a route or a whole controller available until the end of the drain, while other requests are refused. Use it
 * for probes and metrics. The drain does not wait for such a request if it arrives after the drain started to refuse
 * work. The path of the route must be fixed: a path with parameters or wildcards throws `ExemptRoutePatternError` at
 * boot.
 *
 * @example
 * ```ts
 * import { Controller, Get } from '@nestjs/common';
 * import { ServeWhileDraining } from '@roost/drain';
 *
 * @Controller('metrics')
 * export class MetricsController {
 *   @Get()
 *   @ServeWhileDraining()
 *   metrics(): string {
 *     return 'requests_total 42';
 *   }
 * }
 * ```
 *
 * @publicApi
 */
export const ServeWhileDraining =
  (): ClassDecorator & MethodDecorator =>
  (target: object, _key?: string | symbol, descriptor?: PropertyDescriptor): void => {
    const handlers = descriptor
      ? [descriptor.value as unknown]
      : methodsOf((target as { prototype: object }).prototype);
    for (const handler of handlers) {
      if (typeof handler === 'function') Reflect.defineMetadata(SERVE_WHILE_DRAINING, true, handler);
    }
  };

const methodsOf = (prototype: object): unknown[] =>
  Object.values(Object.getOwnPropertyDescriptors(prototype)).map(({ value }) => value as unknown);
