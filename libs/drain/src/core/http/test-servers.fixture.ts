import { once } from 'node:events';
import {
  createServer,
  IncomingMessage,
  type OutgoingHttpHeaders,
  type Server,
  type ServerOptions,
  ServerResponse,
} from 'node:http';
import * as http2 from 'node:http2';
import { createServer as createHttpsServer } from 'node:https';
import type { Socket } from 'node:net';
import { until } from '../until.fixture.js';
import { CERTIFICATE } from './certificate.fixture.js';
import { RawClient } from './raw-client.fixture.js';
import type { AnyHttpServer, AnyRequest, AnyResponse } from './server.js';

export interface Exchange<Request = IncomingMessage, Response = ServerResponse> {
  readonly path: string;
  readonly request: Request;
  readonly response: Response;
}

/** The servers and clients of a spec. Requests wait in `exchanges` until the spec answers them. */
export class TestServers {
  readonly exchanges: Exchange[] = [];
  readonly #servers: AnyHttpServer[] = [];
  readonly #sockets = new Set<Socket>();
  readonly #sessions: http2.ClientHttp2Session[] = [];

  readonly keep = (request: AnyRequest, response: AnyResponse): void => {
    this.exchanges.push({
      path: request.url!,
      request: request as IncomingMessage,
      response: response as ServerResponse,
    });
  };

  http(options: ServerOptions = {}): Server {
    return this.track(createServer(options, this.keep));
  }

  https(): Server {
    return this.track(createHttpsServer(CERTIFICATE, this.keep));
  }

  h2c(): http2.Http2Server {
    return this.track(http2.createServer(this.keep));
  }

  h2(options: http2.SecureServerOptions = {}): http2.Http2SecureServer {
    return this.track(http2.createSecureServer({ ...CERTIFICATE, ...options }, this.keep));
  }

  track<T extends AnyHttpServer>(server: T): T {
    this.#servers.push(server);
    server.on('connection', (socket: Socket) => {
      this.#sockets.add(socket);
      socket.once('close', () => this.#sockets.delete(socket));
    });
    return server;
  }

  /** Connects a client to a server, which must be listening. */
  async client(server: AnyHttpServer): Promise<RawClient> {
    await listening(server);
    return RawClient.connect(server);
  }

  async session(server: AnyHttpServer, scheme: 'http' | 'https'): Promise<http2.ClientHttp2Session> {
    await listening(server);
    const accepted = once(server, 'session');
    const session = this.startSession(server, scheme);
    await Promise.all([once(session, 'connect'), accepted]);
    return session;
  }

  /** Creates a client that is not connected yet: data sent now goes out with its first packet. */
  startSession(server: AnyHttpServer, scheme: 'http' | 'https'): http2.ClientHttp2Session {
    const { port } = server.address() as { port: number };
    const session = http2.connect(`${scheme}://localhost:${port}`, { ca: CERTIFICATE.cert, family: 4 } as object);
    session.on('error', () => undefined);
    this.#sessions.push(session);
    return session;
  }

  /** Resolves to the request with this path when it arrives. */
  async exchange(path: string): Promise<Exchange> {
    await until(() => this.exchanges.some((exchange) => exchange.path === path));
    return this.exchanges.find((exchange) => exchange.path === path)!;
  }

  get openSockets(): number {
    return this.#sockets.size;
  }

  async closeAll(): Promise<void> {
    for (const session of this.#sessions.splice(0)) session.destroy();
    for (const socket of this.#sockets) socket.destroy();
    for (const server of this.#servers.splice(0)) {
      server.removeAllListeners('newListener');
      if (server.listening) await new Promise((resolve) => server.close(resolve));
    }
    await until(() => this.#sockets.size === 0);
    this.exchanges.length = 0;
  }
}

export async function listening(server: AnyHttpServer): Promise<void> {
  if (server.listening) return;
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
}

/** A stream of a session, and the data received on it. */
export interface StreamReply {
  readonly stream: http2.ClientHttp2Stream;
  readonly headers: Promise<OutgoingHttpHeaders>;
  readonly body: Promise<string>;
}

export function openStream(session: http2.ClientHttp2Session, path: string, method = 'GET'): StreamReply {
  const stream = session.request({ ':path': path, ':method': method }, { endStream: method === 'GET' });
  stream.on('error', () => undefined);
  const headers = new Promise<OutgoingHttpHeaders>((resolve) => stream.once('response', resolve));
  const body = new Promise<string>((resolve) => {
    let text = '';
    stream.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
    stream.once('close', () => resolve(text));
  });
  return { stream, headers, body };
}

/** A minimal `node:http` request for specs without a network. */
export function unsent(method = 'GET', url = '/'): { request: IncomingMessage; response: ServerResponse } {
  const request = new IncomingMessage(undefined as unknown as Socket);
  Object.assign(request, { method, url });
  return { request, response: new ServerResponse(request) };
}
