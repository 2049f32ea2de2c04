import { connect, type Socket } from 'node:net';

const REQUEST = 'GET /hello HTTP/1.1\r\nHost: bench\r\n\r\n';
const CONNECTIONS = 16;

/**
 * Sends bursts of requests over keep-alive connections, each request after the previous response. It does almost
 * nothing with the responses, so that the server is measured: load generators in JavaScript need more time per request
 * than the server does.
 */
export class Bursts {
  readonly #sockets: Socket[];
  #unsent = 0;
  #unanswered = 0;
  #onDone = (): void => undefined;

  constructor(port: number) {
    this.#sockets = Array.from({ length: CONNECTIONS }, () => connect({ port, host: '127.0.0.1', noDelay: true }));
    for (const socket of this.#sockets) socket.on('data', (chunk) => this.#answered(socket, chunk));
  }

  /** @returns requests/s */
  async send(requests: number): Promise<number> {
    const start = performance.now();
    await new Promise<void>((resolve) => {
      this.#onDone = resolve;
      this.#unsent = requests;
      for (const socket of this.#sockets) this.#sendNext(socket);
    });
    return requests / ((performance.now() - start) / 1_000);
  }

  #sendNext(socket: Socket): void {
    if (this.#unsent === 0) return;
    this.#unsent--;
    this.#unanswered++;
    socket.write(REQUEST);
  }

  #answered(socket: Socket, chunk: Buffer): void {
    if (!chunk.subarray(0, 15).equals(OK)) throw new Error(`not served: ${chunk.toString('latin1')}`);
    this.#unanswered--;
    this.#sendNext(socket);
    if (this.#unanswered === 0) this.#onDone();
  }
}

const OK = Buffer.from('HTTP/1.1 200 OK');
