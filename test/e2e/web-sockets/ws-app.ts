import { randomBytes } from 'node:crypto';
import { createConnection, type Socket } from 'node:net';
import { WebSocket } from 'ws';
import { AppProcess } from '../../support/app-process.js';
import { freePort } from '../../support/brokers.js';
import { type Answer, readAnswer, request } from '../../support/http-client.js';
import type { Plan } from './fixtures/plan.js';

const PROGRAM = '.tsout/test/e2e/web-sockets/fixtures/app.js';
const sockets = new Set<{ destroy(): void }>();

/** For `afterEach`: ends everything that a test has started. */
export const cleanUp = async (): Promise<void> => {
  for (const socket of sockets) socket.destroy();
  sockets.clear();
  await AppProcess.killAll();
};

/** Registers a connection that a test may leave open. */
export const destroyLater = (socket: { destroy(): void }): void => void sockets.add(socket);

/** The application under test. */
export class WsApp {
  private constructor(
    readonly process: AppProcess,
    /** Port of HTTP. */
    readonly port: number,
    /** Address for WebSocket clients. */
    readonly wsPort: number,
    private readonly plan: Plan,
  ) {}

  static async launch(plan: Plan): Promise<WsApp> {
    const ownPort = plan.server.includes('-port') ? await freePort() : undefined;
    const process = new AppProcess(PROGRAM, { args: [JSON.stringify({ ...plan, ownPort })] });
    await process.line(/^ready$/);
    const port = Number(process.lines(/^port /)[0]?.slice(5) ?? 0);
    return new WsApp(process, port, ownPort ?? port, plan);
  }

  get path(): string {
    return ['ws', 'ws-port-path'].includes(this.plan.server) ? '/socket' : '/';
  }

  get url(): string {
    return `ws://127.0.0.1:${this.wsPort}${this.path}`;
  }

  /** Opens a connection and waits until the application knows it. */
  async connect(): Promise<WebSocket> {
    const known = this.process.lines(/^connected$/).length;
    const client = new WebSocket(this.url);
    destroyLater({ destroy: () => client.terminate() });
    await new Promise((resolve, reject) => client.once('open', resolve).once('error', reject));
    while (this.process.lines(/^connected$/).length <= known) await new Promise((resolve) => setTimeout(resolve, 5));
    return client;
  }

  /** Opens a client that never answers, not even the close of the connection. */
  async connectSilent(): Promise<Socket> {
    const socket = createConnection({ port: this.wsPort, host: '127.0.0.1', allowHalfOpen: true });
    destroyLater(socket);
    socket.on('error', () => undefined).write(this.#handshake());
    await new Promise((resolve) => socket.once('data', resolve));
    return socket;
  }

  /** Returns the response to a refused WebSocket request, or undefined if it is accepted. */
  async refusal(): Promise<Answer | undefined> {
    const client = new WebSocket(this.url);
    destroyLater({ destroy: () => client.terminate() });
    return new Promise((resolve, reject) => {
      client
        .once('open', () => resolve(undefined))
        .once('unexpected-response', (_request, response) => void readAnswer(response).then(resolve, reject))
        .once('error', reject);
    });
  }

  request(path: string, headers: Record<string, string> = {}): Promise<Answer> {
    return request(this.port, path, { headers });
  }

  /** Sends a request that delays the drain until `release`. */
  async hold(): Promise<{ release(): Promise<Answer> }> {
    const answer = this.request('/held');
    await this.process.line(/^at:request$/);
    return {
      release: () => {
        this.process.send('go request');
        return answer;
      },
    };
  }

  /** Sends SIGTERM and waits until new work is refused. */
  async beginDrain(): Promise<void> {
    this.process.kill('SIGTERM');
    await this.process.line(/stopped accepting new work/);
  }

  #handshake(): string {
    const key = randomBytes(16).toString('base64');
    return (
      `GET ${this.path} HTTP/1.1\r\nHost: 127.0.0.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n` +
      `Sec-WebSocket-Key: ${key}\r\nSec-WebSocket-Version: 13\r\n\r\n`
    );
  }
}

/** How the connection ended, as reported to the client. */
export const closeOf = (client: WebSocket): Promise<{ code: number; reason: string }> =>
  new Promise((resolve) => {
    client.once('close', (code, reason) => resolve({ code, reason: reason.toString() }));
  });
