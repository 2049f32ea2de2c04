import type { DiscoveryService } from '@nestjs/core';
import { override } from '@roost/kernel';

/** Metadata that `@WebSocketGateway()` sets on a class. */
const IS_GATEWAY = 'websockets:is_gateway';

type AfterInit = (server: unknown) => unknown;

interface Gateway {
  afterInit?: AfterInit;
}

/**
 * Calls back once for each server of the gateways, when Nest passes it to a gateway's `afterInit` hook. Call it when
 * all providers exist and before Nest connects the gateways.
 */
export function onGatewayServers(discovery: DiscoveryService, callback: (server: object) => void): void {
  const known = new Set<object>();
  for (const { metatype, instance } of discovery.getProviders()) {
    if (typeof metatype !== 'function' || !Reflect.hasMetadata(IS_GATEWAY, metatype)) continue;
    const gateway = instance as Gateway;
    const watched = (afterInit: AfterInit): AfterInit =>
      function (given) {
        const server = serverOf(given);
        if (server && !known.has(server)) {
          known.add(server);
          callback(server);
        }
        return afterInit.call(gateway, given);
      };
    override(gateway, 'afterInit', 'DrainModule', watched, { fallback: () => undefined });
  }
}

/** With socket.io, a gateway may receive a namespace instead of the server. */
function serverOf(given: unknown): object | undefined {
  const server = (given as { server?: unknown } | null | undefined)?.server ?? given;
  return typeof server === 'object' && server !== null ? server : undefined;
}
