import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { type Clock, systemClock } from '@roost/time';
import { InvalidDataflowOptionError } from '../errors/invalid-dataflow-option.error.js';
import { check } from '../option-checks.js';
import { CannotListenError } from './errors/cannot-listen.error.js';
import { formatAddress, isLoopback } from './tcp/address.js';
import { TcpEndpoint } from './tcp/tcp-endpoint.js';
import type { Transport } from './transport.js';

/** Options of `tcp()`. @publicApi */
export interface TcpOptions {
  /** Address to listen on. Addresses other than loopback require a token. @default '127.0.0.1' */
  host?: string;
  /** Port to listen on. @default 0, any free port */
  port?: number;
  /** Host name under which other machines reach this one. @default host */
  advertisedHost?: string;
  /** Clock for timeouts and retry delays. @default systemClock */
  clock?: Clock;
}

/**
 * Sends frames over TCP, for processes on one machine or on a trusted network. Both sides prove that they know the
 * token without sending it. The traffic after that is neither encrypted nor signed.
 *
 * @example
 * ```ts
 * import { DataflowModule, DataflowNode, OnStart, tcp } from '@roost/dataflow';
 *
 * @DataflowNode()
 * class HelloNode {
 *   @OnStart()
 *   greet(): void {
 *     console.log('hello');
 *   }
 * }
 *
 * export const graphModule = DataflowModule.forNode({
 *   graph: (g) => g.node(HelloNode),
 *   placement: { processes: { left: ['hello'] } },
 *   process: 'left',
 *   transport: tcp({ host: '0.0.0.0', port: 7001, advertisedHost: 'left' }),
 *   coordinatorAddress: 'coordinator:7000',
 *   token: process.env['GRAPH_TOKEN']!,
 * });
 * ```
 *
 * @publicApi
 */
export function tcp(options: TcpOptions = {}): Transport {
  check.knownKeys(options, ['host', 'port', 'advertisedHost', 'clock'], 'tcp');
  const { host = '127.0.0.1', port = 0, advertisedHost, clock = systemClock } = options;
  check.number(port, 'tcp.port', { whole: true, least: 0, most: 65_535 });
  return {
    async open(self, events) {
      if (self.token === undefined && !isLoopback(host)) {
        const expected = `a secret that all processes share, because ${host} can be reached from other machines`;
        throw new InvalidDataflowOptionError('token', undefined, expected);
      }
      const server = createServer();
      try {
        server.listen({ host, port });
        await once(server, 'listening');
      } catch (cause) {
        throw new CannotListenError(formatAddress({ host, port }), cause);
      }
      const { port: actual } = server.address() as AddressInfo;
      const address = formatAddress({ host: advertisedHost ?? host, port: actual });
      return new TcpEndpoint(address, server, self, events, clock);
    },
  };
}
