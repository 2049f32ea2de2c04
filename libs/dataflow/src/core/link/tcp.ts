import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { type Clock, systemClock } from '@roost/time';
import { InvalidDataflowOptionError } from '../errors/invalid-dataflow-option.error.js';
import { check } from '../option-checks.js';
import { CannotListenError } from './errors/cannot-listen.error.js';
import { formatAddress, isLoopback } from './tcp/address.js';
import { TcpEndpoint } from './tcp/tcp-endpoint.js';
import type { Transport } from './transport.js';

/** @publicApi */
export interface TcpOptions {
  /** The address to listen on. Any but a loopback one needs a token. @default '127.0.0.1' */
  host?: string;
  /** @default 0, any free one */
  port?: number;
  /** The name under which others reach this machine. @default host */
  advertisedHost?: string;
  /** For timeouts and pauses. @default systemClock */
  clock?: Clock;
}

/**
 * Frames over TCP, for processes of one machine or of a network that is trusted: both sides prove that they have the token
 * without sending it, but what follows is neither encrypted nor signed.
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
