import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

/** A network between processes that a test can cut. */
export class BreakableProxy {
  readonly #sockets = new Set<Socket>();
  #server: Server;
  #port = 0;
  /** Number of accepted connections. */
  connections = 0;

  private constructor(private readonly target: number) {
    this.#server = this.#create();
  }

  static async start(target: number): Promise<BreakableProxy> {
    const proxy = new BreakableProxy(target);
    proxy.#server.listen(0, '127.0.0.1');
    await once(proxy.#server, 'listening');
    proxy.#port = (proxy.#server.address() as AddressInfo).port;
    return proxy;
  }

  get port(): number {
    return this.#port;
  }

  /** Cuts all connections, loses bytes in flight, and refuses new connections. */
  async cut(): Promise<void> {
    this.#server.close();
    for (const socket of this.#sockets) socket.resetAndDestroy();
    await once(this.#server, 'close');
  }

  async restore(): Promise<void> {
    this.#server = this.#create();
    this.#server.listen(this.#port, '127.0.0.1');
    await once(this.#server, 'listening');
  }

  async close(): Promise<void> {
    if (this.#server.listening) await this.cut();
  }

  #create(): Server {
    return createServer({ noDelay: true }, (client) => {
      this.connections++;
      const upstream = connect({ host: '127.0.0.1', port: this.target, noDelay: true });
      for (const [from, to] of [
        [client, upstream],
        [upstream, client],
      ] as const) {
        this.#sockets.add(from);
        from.pipe(to);
        from.on('error', () => to.destroy());
        from.on('close', () => {
          this.#sockets.delete(from);
          to.destroy();
        });
      }
    });
  }
}
