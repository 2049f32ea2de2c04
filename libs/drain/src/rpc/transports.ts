import type { Socket } from 'node:net';
import { throwError } from 'rxjs';
import type { Meter } from '../core/index.js';
import { NATS, REDIS, type Handler, type RpcServer, TCP } from './rpc-server.js';

/** How a transport stops to take messages, and how it makes sure that its replies are out. */
export interface TransportDrain {
  /** Whether handlers that begin after `stop` are left out of the count: more may come for as long as clients like. */
  readonly keepsComing: boolean;
  /** Who is at the other end. A broker has a moment to confirm; callers read their replies as fast as they can. */
  readonly peer: 'broker' | 'callers';
  stop(): Promise<unknown>;
  flush(): Promise<unknown>;
  /** Who has not got all of their replies, by name. */
  unsent(): string[];
}

/** What a caller gets for a message that comes too late, as the `err` of the reply. */
const UNAVAILABLE = { status: 'error', message: 'Service Unavailable: it is stopping, ask another instance' };

/** For transports we know nothing about: what they took is waited for, and they take messages until they are closed. */
const UNKNOWN: TransportDrain = {
  keepsComing: true,
  peer: 'broker',
  stop: () => Promise.resolve(),
  flush: () => Promise.resolve(),
  unsent: () => [],
};

export function drainOf(server: RpcServer, meter: Meter): TransportDrain {
  switch (server.transportId) {
    case TCP:
      return tcp(server, meter);
    case NATS:
      return nats(server);
    case REDIS:
      return redis(server);
    default:
      return UNKNOWN;
  }
}

/** Connections stay open for the replies. Requests get an error at once; events have no reply, so they are handled. */
function tcp(server: RpcServer, meter: Meter): TransportDrain {
  const unsent = (): Socket[] => {
    const { openSockets } = server as { openSockets?: Set<Socket> };
    return [...(openSockets ?? [])].filter((socket) => !socket.destroyed && socket.writableLength > 0);
  };
  return {
    keepsComing: true,
    peer: 'callers',
    stop() {
      const find = server.getHandlerByPattern?.bind(server);
      if (!find) return Promise.resolve();
      const refuse: Handler = () => {
        meter.shed++;
        return throwError(() => UNAVAILABLE);
      };
      // Asked for every message, so it also covers handlers that are added later.
      server.getHandlerByPattern = (pattern) => {
        const handler = find(pattern);
        return handler === null || handler.isEventHandler ? handler : refuse;
      };
      return Promise.resolve();
    },
    flush: () => Promise.all(unsent().map(flushed)),
    unsent: () => unsent().map(({ remoteAddress, remotePort }) => `${remoteAddress}:${remotePort}`),
  };
}

interface NatsSubscription {
  isClosed(): boolean;
  drain(): Promise<void>;
}

/** Subscriptions are drained: the broker sends what follows to others, and what it has sent us is still handled. */
function nats(server: RpcServer): TransportDrain {
  return {
    ...UNKNOWN,
    keepsComing: false,
    async stop() {
      const { subscriptions = [] } = server as { subscriptions?: NatsSubscription[] };
      const open = subscriptions.filter((subscription) => !subscription.isClosed());
      await Promise.all(open.map((subscription) => subscription.drain()));
    },
    flush: async () => (clientOf(server) as { flush(): Promise<void> } | undefined)?.flush(),
  };
}

interface RedisSubscriber {
  readonly status: string;
  readonly options: { autoResubscribe?: boolean };
  unsubscribe(): Promise<unknown>;
  punsubscribe(): Promise<unknown>;
}

/** Unsubscribed: Redis keeps nothing for later, so what is published from then on goes to the other subscribers alone. */
function redis(server: RpcServer): TransportDrain {
  return {
    // A publish is acknowledged by the broker, and the reply counts as sent only then: there is nothing to flush.
    ...UNKNOWN,
    keepsComing: false,
    async stop() {
      const [, subscriber] = (clientOf(server) as [unknown, RedisSubscriber] | undefined) ?? [];
      if (!subscriber) return;
      subscriber.options.autoResubscribe = false;
      // Without a connection nothing comes in; a command that waits for one would hold up the close.
      if (subscriber.status !== 'ready') return;
      const { wildcards } = (server.options ?? {}) as { wildcards?: boolean };
      // Not both: the library takes the answer to one for the answer to the other.
      await (wildcards ? subscriber.punsubscribe() : subscriber.unsubscribe());
    },
  };
}

/** Undefined when it never listened. */
function clientOf(server: RpcServer): unknown {
  try {
    return server.unwrap?.();
  } catch {
    return undefined;
  }
}

/** Resolves when the operating system has all that was written, or the connection is gone. */
const flushed = (socket: Socket): Promise<void> =>
  new Promise((resolve) => {
    socket.once('close', resolve);
    // One that has been ended takes no more, and closes when it has sent the rest.
    if (socket.writable) socket.write('', () => resolve());
  });
