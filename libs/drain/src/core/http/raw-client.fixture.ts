import { once } from 'node:events';
import { type AddressInfo, connect, type Server, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { until } from '../until.fixture.js';
import { CERTIFICATE } from './certificate.fixture.js';

/** A client on a raw connection that sends and records bytes. */
export class RawClient {
  received = '';
  ended = false;
  closed = false;
  error: Error | undefined;

  private constructor(readonly socket: Socket) {
    socket.setEncoding('latin1');
    socket.on('data', (chunk: string) => (this.received += chunk));
    socket.on('end', () => (this.ended = true));
    socket.on('error', (error) => (this.error = error));
    socket.on('close', () => (this.closed = true));
  }

  static async connect(server: Server): Promise<RawClient> {
    const socket = connect(portOf(server), '127.0.0.1');
    const client = new RawClient(socket);
    await once(socket, 'connect');
    return client;
  }

  static async connectTls(server: Server): Promise<RawClient> {
    const socket = connectTls({ port: portOf(server), host: 'localhost', ca: CERTIFICATE.cert });
    const client = new RawClient(socket);
    await once(socket, 'secureConnect');
    return client;
  }

  send(text: string): this {
    this.socket.write(text, 'latin1');
    return this;
  }

  /** Sends a request such as `GET /`: a head followed by an empty line. */
  request(line: string, ...headers: string[]): this {
    return this.send([`${line} HTTP/1.1`, 'Host: localhost', ...headers, '', ''].join('\r\n'));
  }

  get statuses(): number[] {
    return [...this.received.matchAll(/HTTP\/1\.1 (\d{3})/g)].map(([, status]) => Number(status));
  }

  async untilReceived(text: string): Promise<string> {
    await until(() => this.received.includes(text) || this.closed);
    if (!this.received.includes(text)) throw new Error(`closed without ${text}: ${this.received}`);
    return this.received;
  }

  async untilClosed(): Promise<string> {
    await until(() => this.closed);
    return this.received;
  }

  abort(): void {
    this.socket.destroy();
  }
}

export const portOf = (server: Server): number => (server.address() as AddressInfo).port;
