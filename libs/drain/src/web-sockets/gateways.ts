import type { DiscoveryService } from '@nestjs/core';

/** What `@WebSocketGateway()` leaves on a class. */
const IS_GATEWAY = 'websockets:is_gateway';

interface Gateway {
  afterInit?: (server: unknown) => unknown;
}

/**
 * Calls back with each server that gateways have, once, when Nest has made it: by the gateway's own `afterInit` hook. To
 * be called when all providers are there and before Nest connects the gateways.
 */
export function onGatewayServers(discovery: DiscoveryService, callback: (server: object) => void): void {
  const known = new Set<object>();
  for (const { metatype, instance } of discovery.getProviders()) {
    if (typeof metatype !== 'function' || !Reflect.hasMetadata(IS_GATEWAY, metatype)) continue;
    const gateway = instance as Gateway;
    const afterInit = gateway.afterInit;
    gateway.afterInit = (given) => {
      const server = serverOf(given);
      if (server && !known.has(server)) {
        known.add(server);
        callback(server);
      }
      return afterInit?.call(gateway, given);
    };
  }
}

/** With socket.io a gateway may be given a namespace of the server. */
function serverOf(given: unknown): object | undefined {
  const server = (given as { server?: unknown } | null | undefined)?.server ?? given;
  return typeof server === 'object' && server !== null ? server : undefined;
}
