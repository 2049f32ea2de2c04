import { SERVE_WHILE_DRAINING } from '@roost/kernel';

/**
 * On a route or a whole controller: it is served until the very end of the drain, when other requests are refused. For
 * probes and the like. Nobody waits for such a request that comes after the drain has begun.
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
