import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import { CoordinatedShutdown } from '@roost/shutdown';
import { ProbePortError } from './errors/probe-port.error.js';
import { PROBES } from './options.js';
import { Probes } from './probes.js';

/** Serves the probes on a separate port. Neither the server nor its connections keep the process alive. */
@Injectable()
export class ProbeServer implements OnModuleInit {
  readonly #logger = new Logger('Health');
  readonly #server: Server;
  #listening: Promise<void> | undefined;

  constructor(
    private readonly probes: Probes,
    private readonly shutdown: CoordinatedShutdown,
    private readonly path: string,
    private readonly port: number,
    private readonly host: string | undefined,
  ) {
    this.#server = createServer((request, response) => void this.#answer(request, response)).unref();
    this.#server.on('connection', (socket) => socket.unref());
  }

  /** Nest calls the boot hooks of a microservice twice if `init()` is called explicitly. */
  onModuleInit(): Promise<void> {
    this.#listening ??= this.#listen();
    return this.#listening;
  }

  async #listen(): Promise<void> {
    try {
      this.#server.listen(this.port, this.host);
      await once(this.#server, 'listening');
    } catch (error) {
      throw new ProbePortError(this.port, error);
    }
    // Not in a shutdown hook: other hooks may run after it, and the probes must stay reachable until the last one has
    // finished.
    this.shutdown.events$.subscribe(({ type }) => {
      if (type === 'shutdown.terminated') this.#close();
    });
    const { address, port } = this.#server.address() as AddressInfo;
    const host = address.includes(':') ? `[${address}]` : address;
    this.#logger.log(`probes on http://${host}:${port}/${this.path}/{${PROBES.join(',')}}`);
  }

  #close(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }

  async #answer({ method, url = '/' }: IncomingMessage, response: ServerResponse): Promise<void> {
    const probe = PROBES.find((name) => url.split('?')[0] === `/${this.path}/${name}`);
    if (!probe) return send(response, 404, { message: 'Not Found' });
    if (method !== 'GET' && method !== 'HEAD') {
      response.setHeader('Allow', 'GET, HEAD');
      return send(response, 405, { message: 'Method Not Allowed' });
    }
    try {
      const { status, body } = await this.probes.answer(probe);
      send(response, status, body);
    } catch (error) {
      this.#logger.error(error);
      send(response, 500, { message: 'Internal Server Error' });
    }
  }
}

function send(response: ServerResponse, status: number, body: object): void {
  const text = JSON.stringify(body);
  response.writeHead(status, {
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': Buffer.byteLength(text),
    'Cache-Control': 'no-store',
  });
  response.end(text);
}
