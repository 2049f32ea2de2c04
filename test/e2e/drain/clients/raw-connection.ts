import { once } from 'node:events';
import { connect as connectTcp, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { type Answer, type Client, type Endpoint, type Ending, type Exchange, LostRequestError } from './client.js';
import { ResponseReader } from './response-reader.js';

/** HTTP/1 on a raw socket: written data is sent unchanged, and received data is read byte by byte. */
export class RawConnection implements Client {
  readonly closed: Promise<Ending>;
  readonly #reader = new ResponseReader();
  #told = false;
  #ended = false;

  private constructor(private readonly socket: Socket) {
    let failure: NodeJS.ErrnoException | undefined;
    const ended = (why: string): void => {
      this.#ended = true;
      this.#reader.end((request) => new LostRequestError(request, why));
    };
    socket.setNoDelay(true);
    socket.on('data', (chunk) => this.#reader.feed(chunk));
    socket.on('end', () => ended('the connection was ended'));
    socket.on('error', (error) => (failure = error));
    this.closed = new Promise((resolve) => {
      socket.on('close', () => {
        ended(failure ? `the connection failed with ${failure.code}` : 'the connection was closed');
        resolve(failure ? 'reset' : 'end');
      });
    });
  }

  /** Rejects when the TCP connection or its TLS handshake fails. */
  static async open({ host, port, scheme }: Endpoint): Promise<RawConnection> {
    const socket =
      scheme === 'http' ? connectTcp({ host, port }) : connectTls({ host, port, rejectUnauthorized: false });
    try {
      await once(socket, scheme === 'http' ? 'connect' : 'secureConnect');
    } catch (error) {
      socket.destroy();
      throw error;
    }
    return new RawConnection(socket);
  }

  get isUsable(): boolean {
    return !this.#told && !this.#ended;
  }

  /** Received bytes that no request was waiting for. */
  get unread(): string {
    return this.#reader.unread;
  }

  write(text: string): void {
    this.socket.write(text, 'latin1');
  }

  /** The next response on this connection. `request` is the start of its request line, such as `GET /hello`. */
  answer(request: string): Promise<Answer> {
    const answer = this.#reader.next(request).then((read) => {
      if (read.headers.connection?.toLowerCase() === 'close') this.#told = true;
      return read;
    });
    // A caller that awaits the promise gets the error. Otherwise it must not become an unhandled rejection.
    answer.catch(() => undefined);
    return answer;
  }

  begin(method: string, path: string, headers: Record<string, string> = {}): Exchange {
    const { socket } = this;
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
    this.write(`${method} ${path} HTTP/1.1\r\nHost: test\r\n${lines.join('')}\r\n`);
    return {
      answer: this.answer(`${method} ${path}`),
      write: (body) => this.write(body),
      end: () => undefined,
      pause: () => void socket.pause(),
      resume: () => void socket.resume(),
    };
  }

  get(path: string): Promise<Answer> {
    return this.begin('GET', path).answer;
  }

  /** Ends the client's half of the connection: it sends no further requests. */
  end(): void {
    this.socket.end();
  }

  destroy(): void {
    this.socket.destroy();
  }
}
