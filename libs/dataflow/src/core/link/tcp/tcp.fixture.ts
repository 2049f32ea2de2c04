import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { DataflowError } from '../../errors/dataflow.error.js';
import { tcp, type TcpOptions } from '../tcp.js';
import type { Endpoint, EndpointIdentity } from '../transport.js';

const LIMIT_MS = 15_000;

/** Polls a condition that depends on a real socket. */
export async function until(holds: () => boolean): Promise<void> {
  const end = performance.now() + LIMIT_MS;
  while (!holds()) {
    if (performance.now() > end) throw new Error(`condition not met in time: ${holds.toString()}`);
    await delay(1);
  }
}

/** A TCP endpoint that records its events. */
export class Recorder {
  readonly events: string[] = [];
  readonly errors: DataflowError[] = [];
  readonly frames: Buffer[] = [];
  endpoint!: Endpoint;

  static async open(name: string, options: TcpOptions = {}, more: Partial<EndpointIdentity> = {}): Promise<Recorder> {
    const recorder = new Recorder();
    recorder.endpoint = await tcp(options).open(
      { app: 'test', name, token: 'secret', maxFrameBytes: 1_000, ...more },
      {
        frame: (peer, bytes) => {
          recorder.frames.push(Buffer.from(bytes));
          recorder.events.push(`${peer} frame`);
        },
        up: (peer) => recorder.events.push(`${peer} up`),
        down: (peer) => recorder.events.push(`${peer} down`),
        failed: (error, peer) => {
          recorder.errors.push(error);
          recorder.events.push(`${peer ?? 'stranger'} failed`);
        },
      },
    );
    return recorder;
  }

  /** Number of times that an event occurred. */
  count(event: string): number {
    return this.events.filter((one) => one === event).length;
  }
}

/** A client that does not implement the protocol. */
export async function rawClient(
  address: string,
): Promise<{ socket: Socket; closed: Promise<void>; received: Buffer[] }> {
  const [host = '', port] = address.split(':');
  const socket = connect(Number(port), host);
  socket.on('error', () => undefined);
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
  const received: Buffer[] = [];
  socket.on('data', (chunk: Buffer) => received.push(chunk));
  await once(socket, 'connect');
  return { socket, closed, received };
}

/** Forwards between two processes, and breaks their connections on demand. */
export class Proxy {
  readonly address: string;
  /**
   * For each new connection, the number of bytes from the dialling side before it breaks. Later connections do not
   * break.
   */
  breaks: number[] = [];
  readonly #sockets = new Set<Socket>();

  private constructor(
    private readonly server: ReturnType<typeof createServer>,
    target: string,
  ) {
    this.address = `127.0.0.1:${(server.address() as AddressInfo).port}`;
    server.on('connection', (near) => this.#forward(near, target));
  }

  static async open(target: string): Promise<Proxy> {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new Proxy(server, target);
  }

  cut(): void {
    for (const socket of this.#sockets) socket.resetAndDestroy();
  }

  close(): void {
    this.server.close();
    this.cut();
  }

  #forward(near: Socket, target: string): void {
    let left = this.breaks.shift() ?? Infinity;
    const far = connect(Number(target.split(':')[1]), '127.0.0.1');
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      this.#sockets.add(from);
      from.on('error', () => undefined);
      from.on('close', () => {
        this.#sockets.delete(from);
        to.destroy();
      });
    }
    far.on('data', (chunk: Buffer) => near.write(chunk));
    near.on('data', (chunk: Buffer) => {
      // Usually breaks in the middle of a frame.
      far.write(chunk.subarray(0, left));
      left -= chunk.length;
      if (left <= 0) far.end(() => near.resetAndDestroy());
    });
  }
}
