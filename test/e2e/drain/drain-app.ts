import assert from 'node:assert/strict';
import { setTimeout as after } from 'node:timers/promises';
import type { AppProcess, AppResult } from '../../support/app-process.js';
import type { Answer, Client, Endpoint, Exchange } from './clients/client.js';
import { Http2Client } from './clients/http2-client.js';
import { openClient } from './clients/open-client.js';
import { RawConnection } from './clients/raw-connection.js';
import { before, PATIENCE_MS } from './deadline.js';

const HOST = '127.0.0.1';

/** One run of the application under test, with the connections that a case opens to it. */
export class DrainApp {
  readonly #clients: { destroy(): void }[] = [];

  constructor(
    readonly process: AppProcess,
    private readonly scheme: Endpoint['scheme'],
  ) {}

  /** The address on which it listens. `second` selects its second server or application. */
  endpoint(which: '' | 'second ' = ''): Endpoint {
    const [line = ''] = this.process.lines(new RegExp(`^${which}port \\d+$`));
    const port = Number(line.slice(which.length + 5));
    assert(port > 0, `the program has not printed its ${which}port`);
    return { host: HOST, port, scheme: this.scheme };
  }

  async connect(endpoint = this.endpoint()): Promise<Client> {
    return this.#keep(await openClient(endpoint));
  }

  async raw(endpoint = this.endpoint()): Promise<RawConnection> {
    return this.#keep(await RawConnection.open(endpoint));
  }

  async http2(): Promise<Http2Client> {
    return this.#keep(await Http2Client.open(this.endpoint()));
  }

  /** Sends one request on its own connection. */
  async get(path: string, endpoint?: Endpoint): Promise<Answer> {
    const client = await this.connect(endpoint);
    try {
      return await before(client.get(path), `the answer to GET ${path}`);
    } finally {
      client.destroy();
    }
  }

  /** Sends a request that its handler holds until `go <name>`. */
  async holdRequest(name = 'request', client?: Client): Promise<Exchange & { readonly client: Client }> {
    const used = client ?? (await this.connect());
    const exchange = used.begin('GET', `/gate?name=${name}`);
    await this.process.line(new RegExp(`^at:${name}$`));
    return { ...exchange, client: used };
  }

  go(name = 'request'): void {
    this.process.send(`go ${name}`);
  }

  kill(signal: NodeJS.Signals = 'SIGTERM'): void {
    this.process.kill(signal);
  }

  /**
   * Waits until new requests are refused. Call it while a request is held: the listener must stay open for that long,
   * so a refused connection fails the case.
   */
  async untilRefusing(endpoint?: Endpoint): Promise<Answer> {
    const deadline = Date.now() + PATIENCE_MS;
    for (;;) {
      const answer = await this.get('/hello', endpoint);
      if (answer.status !== 200) return answer;
      assert(Date.now() < deadline, `new requests are still served after ${PATIENCE_MS} ms`);
      await after(5);
    }
  }

  /** Waits until the process exits with the given code, long before the drain's time limit. */
  async exits(code = 0): Promise<void> {
    const result = await this.result();
    assert.deepEqual(result, { code, signal: null }, `ended with ${JSON.stringify(result)}\n${this.process.output}`);
  }

  /** Releases the last held request. It must be served, and then the process must exit. */
  async finishes(held: Exchange, name = 'request'): Promise<void> {
    this.go(name);
    assert.equal(
      (await before(held.answer, 'the request in flight')).status,
      200,
      'the request in flight was not served',
    );
    await this.exits();
  }

  /** How the process ended. */
  protected result(): Promise<AppResult> {
    return before(this.process.exit(), `the end of the program\n${this.process.output}`);
  }

  async dispose(): Promise<void> {
    for (const client of this.#clients) client.destroy();
    this.process.kill('SIGKILL');
    this.process.closeOutput();
    await this.process.ended;
  }

  #keep<T extends { destroy(): void }>(client: T): T {
    this.#clients.push(client);
    return client;
  }
}
