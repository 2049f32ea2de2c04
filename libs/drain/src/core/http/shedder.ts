import { type ServerResponse, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import type { ResolvedDrainOptions } from '../options.js';
import { type AnyRequest, type AnyResponse, isHttp1 } from './server.js';

/** Time in ms for a refused client to send the rest of its request body, so that it reads the response. */
const LINGER_MS = 1_000;

/** Answers requests that arrive after the drain started to refuse work. */
export class Shedder {
  readonly #headers: Readonly<Record<string, string | number>>;
  readonly #options: ResolvedDrainOptions;
  /** Refusals held back until `resume`. */
  #held: (() => void)[] | undefined;

  constructor(options: ResolvedDrainOptions) {
    this.#options = options;
    const { contentType, body } = options.shedResponse;
    this.#headers = {
      'Retry-After': options.retryAfterSeconds,
      'Content-Type': contentType,
      'Content-Length': Buffer.byteLength(body),
    };
  }

  /** @param awaitsContinue whether the client has not sent its body yet, and will not send it after this response */
  refuse(request: AnyRequest, response: AnyResponse, awaitsContinue: boolean): void {
    if (this.#held) this.#held.push(() => this.#answer(request, response, awaitsContinue));
    else this.#answer(request, response, awaitsContinue);
  }

  /** Holds refusals back until `resume`. Their clients wait until then. */
  hold(): void {
    this.#held ??= [];
  }

  resume(): void {
    const held = this.#held ?? [];
    this.#held = undefined;
    for (const answer of held) answer();
  }

  #answer(request: AnyRequest, response: AnyResponse, awaitsContinue: boolean): void {
    const { status } = this.#options.shedResponse;
    // For a HEAD request Node drops the body, or throws if the server is strict.
    const body = request.method === 'HEAD' ? '' : this.#options.shedResponse.body;
    // Connection errors no longer matter.
    response.on('error', () => undefined);
    response.writeHead(status, this.#headers);
    request.resume();
    if (isHttp1(response) && hasBody(request) && !awaitsContinue) this.#linger(request, response, body);
    else response.end(body);
  }

  /** Refuses an upgrade request on the raw connection. */
  refuseUpgrade(socket: Duplex): void {
    const { status, body } = this.#options.shedResponse;
    const lines = Object.entries({ ...this.#headers, Connection: 'close' }).map(([name, value]) => `${name}: ${value}`);
    socket.on('error', () => undefined);
    socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\n${lines.join('\r\n')}\r\n\r\n${body}`);
  }

  /**
   * Sends the complete response, but keeps the connection open until the request body has been read. Closing a
   * connection with unread data resets it, and the reset may reach the client before the response.
   */
  #linger(request: AnyRequest, response: ServerResponse, body: string): void {
    response.flushHeaders();
    if (body !== '') response.write(body);
    const end = (): void => {
      timer.cancel();
      response.end();
    };
    const timer = this.#options.clock.setTimer(LINGER_MS, end);
    request.once('end', end).once('close', end);
  }
}

const hasBody = ({ headers }: AnyRequest): boolean =>
  headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0';
