import type { Socket } from 'node:net';
import { override } from '@roost/kernel';
import { throwError } from 'rxjs';
import type { Meter } from '../../core/index.js';
import type { Handler, RpcServer } from './rpc-server.js';
import type { TransportDrain } from './transport-drain.js';

/** The `err` of the reply to a refused request. */
const UNAVAILABLE = {
  status: 'error',
  message: 'Service Unavailable: this instance is shutting down, retry on another one',
};

/**
 * Keeps connections open for replies. New requests get an error immediately. Events have no reply, so they are handled.
 *
 * @throws MissingMethodError
 */
export function tcpTransport(server: RpcServer, meter: Meter): TransportDrain {
  let isStopping = false;
  const refuse: Handler = () => {
    meter.shed++;
    return throwError(() => UNAVAILABLE);
  };
  // Nest looks up the handler for every message, so this also covers handlers added later.
  override(server, 'getHandlerByPattern', 'DrainModule', (find) => (pattern) => {
    const handler = find.call(server, pattern);
    return !isStopping || handler === null || handler.isEventHandler ? handler : refuse;
  });
  const unsent = (): Socket[] => {
    const { openSockets } = server as { openSockets?: Set<Socket> };
    return [...(openSockets ?? [])].filter((socket) => !socket.destroyed && socket.writableLength > 0);
  };
  return {
    keepsComing: true,
    peer: 'callers',
    stop() {
      isStopping = true;
      return Promise.resolve();
    },
    flush: () => Promise.all(unsent().map(flushed)),
    unsent: () => unsent().map(({ remoteAddress, remotePort }) => `${remoteAddress}:${remotePort}`),
  };
}

/** Resolves when the operating system has received all written data, or when the connection is closed. */
const flushed = (socket: Socket): Promise<void> =>
  new Promise((resolve) => {
    socket.once('close', resolve);
    // An ended socket accepts no more data, and closes after it has sent the rest.
    if (socket.writable) socket.write('', () => resolve());
  });
