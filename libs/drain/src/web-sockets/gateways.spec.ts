import type { DiscoveryService } from '@nestjs/core';
import { onGatewayServers } from './gateways.js';

type Given = (server: unknown) => unknown;

class Plain {
  afterInit: Given | undefined;
}
class Gateway {
  afterInit: Given | undefined;
}
Reflect.defineMetadata('websockets:is_gateway', true, Gateway);

const discovery = (...providers: object[]): DiscoveryService =>
  ({ getProviders: () => providers }) as unknown as DiscoveryService;

const watch = (...providers: object[]): object[] => {
  const servers: object[] = [];
  onGatewayServers(discovery(...providers), (server) => servers.push(server));
  return servers;
};

describe('onGatewayServers', () => {
  it('calls back with the server when Nest passes it to the gateway', () => {
    const instance = new Gateway();
    const servers = watch({ metatype: Gateway, instance });
    expect(servers).toEqual([]);
    const server = { clients: new Set() };
    instance.afterInit!(server);
    expect(servers).toEqual([server]);
    expect(servers[0]).toBe(server);
  });

  it("calls the gateway's own hook as a method, with the same arguments", () => {
    const calls: unknown[] = [];
    const instance = new Gateway();
    instance.afterInit = function (this: unknown, server) {
      calls.push([this, server]);
      return 'own result';
    };
    const namespace = { server: {} };
    watch({ metatype: Gateway, instance });
    expect(instance.afterInit(namespace)).toBe('own result');
    expect(calls).toEqual([[instance, namespace]]);
  });

  it('calls back once for a server that several gateways share', () => {
    const instances = [new Gateway(), new Gateway(), new Gateway()];
    const servers = watch(...instances.map((instance) => ({ metatype: Gateway, instance })));
    const server = {};
    const other = {};
    instances[0]!.afterInit!(server);
    // A socket.io namespace is not a server.
    instances[1]!.afterInit!({ name: '/chat', server });
    instances[2]!.afterInit!(other);
    expect(servers).toHaveLength(2);
    expect(servers[0]).toBe(server);
    expect(servers[1]).toBe(other);
  });

  it.each([undefined, null, 'server', 0])('ignores a server that is %p', (given) => {
    const instance = new Gateway();
    const servers = watch({ metatype: Gateway, instance });
    instance.afterInit!(given);
    expect(servers).toEqual([]);
  });

  it('ignores providers that are not gateways: classes, factories, values', () => {
    const instance = new Plain();
    watch(
      { metatype: Plain, instance },
      { metatype: () => instance, instance },
      { metatype: null, instance: 'value' },
      { metatype: undefined, instance: undefined },
    );
    expect(instance.afterInit).toBeUndefined();
  });
});
