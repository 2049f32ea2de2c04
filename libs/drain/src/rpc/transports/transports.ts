import type { Meter } from '../../core/index.js';
import { NATS, REDIS, type RpcServer, TCP } from './rpc-server.js';
import { natsTransport } from './nats.js';
import { redisTransport } from './redis.js';
import { tcpTransport } from './tcp.js';
import { type TransportDrain, unknownTransport } from './transport-drain.js';

/** Returns the drain for a transport, by transport id. */
export function drainOf(server: RpcServer, meter: Meter): TransportDrain {
  switch (server.transportId) {
    case TCP:
      return tcpTransport(server, meter);
    case NATS:
      return natsTransport(server);
    case REDIS:
      return redisTransport(server);
    default:
      return unknownTransport;
  }
}
