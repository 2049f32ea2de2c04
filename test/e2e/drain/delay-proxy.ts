import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

export interface DelayProxy {
  readonly port: number;
  close(): Promise<void>;
}

/** Simulates a network in front of a local port: data and connection ends take `oneWayMs` in each direction. */
export async function delayProxy(port: number, oneWayMs = 25): Promise<DelayProxy> {
  const sockets = new Set<Socket>();
  const server = createServer({ allowHalfOpen: true, noDelay: true }, (client) => {
    const upstream = connect({ host: '127.0.0.1', port, allowHalfOpen: true, noDelay: true });
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on('close', () => sockets.delete(socket));
    }
    forward(client, upstream, oneWayMs);
    forward(upstream, client, oneWayMs);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Timers of the same length fire in the order in which they were set, so the bytes stay in order. */
function forward(from: Socket, to: Socket, delayMs: number): void {
  let failed = false;
  from.on('data', (chunk) => void setTimeout(() => to.writable && to.write(chunk), delayMs));
  from.on('end', () => void setTimeout(() => to.end(), delayMs));
  from.on('error', () => (failed = true));
  from.on('close', () => void setTimeout(() => failed && to.resetAndDestroy(), delayMs));
}
