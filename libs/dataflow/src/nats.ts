import { connect, type NatsConnection, type NodeConnectionOptions } from '@nats-io/transport-node';
import { type Clock, systemClock } from '@roost/time';
import type { Transport } from './core/link/transport.js';
import { check } from './core/option-checks.js';
import { BrokerError } from './nats/broker.error.js';
import { NatsEndpoint } from './nats/nats-endpoint.js';

export { BrokerError } from './nats/broker.error.js';

/** What the NATS client takes, except that it always reconnects. @publicApi */
export interface NatsOptions extends Omit<NodeConnectionOptions, 'maxReconnectAttempts' | 'reconnect' | 'name'> {
  /** For timeouts. @default systemClock */
  clock?: Clock;
}

/** The options of the client, version 3.4. The compiler refuses the list when one is missing. */
const NATS_OPTION_NAMES = Object.keys({
  clock: true,
  authenticator: true,
  debug: true,
  ignoreAuthErrorAbort: true,
  ignoreClusterUpdates: true,
  inboxPrefix: true,
  maxPingOut: true,
  noAsyncTraces: true,
  noEcho: true,
  noRandomize: true,
  pass: true,
  pedantic: true,
  pingInterval: true,
  port: true,
  reconnectDelayHandler: true,
  reconnectJitter: true,
  reconnectJitterTLS: true,
  reconnectTimeWait: true,
  reconnectToServer: true,
  resolve: true,
  servers: true,
  timeout: true,
  tls: true,
  token: true,
  user: true,
  verbose: true,
  waitOnFirstConnect: true,
} satisfies Record<keyof NatsOptions, true>);

/**
 * Frames over NATS, for processes on several machines: subject `roost.df.<app>.<to>.<from>`, nothing stored. Who may take
 * part is for the broker to say; the token of the dataflow is not used.
 *
 * A frame is not longer than the broker's `max_payload`.
 *
 * @publicApi
 */
export function nats(given: NatsOptions = {}): Transport {
  check.knownKeys(given, NATS_OPTION_NAMES, 'nats');
  const { clock = systemClock, ...options } = given;
  return {
    async open(self, events) {
      const servers = [options.servers ?? `127.0.0.1:${options.port ?? 4222}`].flat().map(withoutSecrets).join(', ');
      let connection: NatsConnection | undefined;
      try {
        connection = await connect({
          reconnectTimeWait: 100,
          reconnectJitter: 50,
          // A broker that was not closed but cut off is noticed by its silence.
          pingInterval: 5_000,
          ...options,
          name: `${self.app}/${self.name}`,
          reconnect: true,
          maxReconnectAttempts: -1,
          // What is wrong with the credentials may be set right meanwhile.
          ignoreAuthErrorAbort: true,
        });
        const endpoint = new NatsEndpoint(connection, self, events, clock);
        // Who is told of this process must be able to reach it.
        await connection.flush();
        return endpoint;
      } catch (cause) {
        void connection?.close();
        throw new BrokerError(servers, 'cannot be used', cause);
      }
    },
  };
}

/** An address may carry a user and a password. */
const withoutSecrets = (server: string): string => server.replace(/^(\w+:\/\/)?.*@/, '$1');
