import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { until } from './until.js';

/** A service that a program under test calls. It answers nothing until the test says so, which keeps work in flight. */
export class Upstream {
  /** `GET /path` of each request so far, in the order of arrival. */
  readonly requests: string[] = [];
  readonly #server: Server;
  readonly #held = new Set<ServerResponse>();
  #open = false;

  private constructor() {
    this.#server = createServer((request, response) => {
      this.requests.push(`${request.method} ${request.url}`);
      if (this.#open) response.end('{}');
      else this.#held.add(response);
    });
  }

  static async start(): Promise<Upstream> {
    const upstream = new Upstream();
    await new Promise<void>((resolve) => upstream.#server.listen(0, '127.0.0.1', resolve));
    return upstream;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Waits until `count` requests have arrived in all. */
  async arrived(count = 1): Promise<void> {
    await until(`${count} requests of the program`, () => this.requests.length >= count);
  }

  /** Answers the requests that wait, and from now on every request at once. */
  release(): void {
    this.#open = true;
    for (const response of this.#held) response.end('{}');
    this.#held.clear();
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}
