import { connect, type NatsConnection, type NodeConnectionOptions } from '@nats-io/transport-node';
import { type Clock, systemClock } from '@roost/time';
import type { Transport } from './core/link/transport.js';
import { BrokerError } from './nats/broker.error.js';
import { NatsEndpoint } from './nats/nats-endpoint.js';

export { BrokerError } from './nats/broker.error.js';

/** What the NATS client takes, except that it always reconnects. @publicApi */
export interface NatsOptions extends Omit<NodeConnectionOptions, 'maxReconnectAttempts' | 'reconnect' | 'name'> {
  /** For timeouts. @default systemClock */
  clock?: Clock;
}

/**
 * Frames over NATS, for processes on several machines: subject `roost.df.<app>.<to>.<from>`, nothing stored. Who may take
 * part is for the broker to say; the token of the dataflow is not used.
 *
 * A frame is not longer than the broker's `max_payload`.
 *
 * @publicApi
 */
export function nats({ clock = systemClock, ...options }: NatsOptions = {}): Transport {
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
