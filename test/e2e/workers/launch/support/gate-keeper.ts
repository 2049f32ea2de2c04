import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { until } from '../../../../support/until.js';

/** A program that waits at a gate. */
export interface Visitor {
  readonly point: string;
  /** `web#1` */
  readonly who: string;
  readonly pid: number;
  /** Lets the program continue. */
  open(): void;
}

/** The gates at which programs under test wait for the test. */
export class GateKeeper {
  readonly #waiting: Visitor[] = [];
  readonly #sockets = new Set<Socket>();

  private constructor(private readonly server: Server) {
    server.on('connection', (socket) => {
      this.#sockets.add(socket);
      socket.on('error', () => undefined);
      socket.once('close', () => this.#sockets.delete(socket));
      socket.setEncoding('utf8').once('data', (line: string) => {
        const visitor = JSON.parse(line) as Omit<Visitor, 'open'>;
        this.#waiting.push({ ...visitor, open: () => socket.destroy() });
      });
    });
  }

  static async start(): Promise<GateKeeper> {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new GateKeeper(server);
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  /** Waits for the next program that reaches the gate. */
  async next(point: string): Promise<Visitor> {
    const visitor = await until(`a program at "${point}"`, () => this.#waiting.find((one) => one.point === point));
    this.#waiting.splice(this.#waiting.indexOf(visitor), 1);
    return visitor;
  }

  async close(): Promise<void> {
    this.server.close();
    for (const socket of this.#sockets) socket.destroy();
    await once(this.server, 'close');
  }
}
