import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/**
 * Makes a response the last one on its connection. Only the last pipelined response may carry `Connection: close`,
 * because Node ends the connection after it and later requests would get no response.
 */
export class ConnectionClose {
  readonly #last = new WeakMap<Socket, ServerResponse>();

  /** Marks a response. Call it in the order of the responses on the connection. */
  claim(response: ServerResponse): void {
    const { socket } = response.req;
    const previous = this.#last.get(socket);
    if (previous && !previous.headersSent) previous.removeHeader('Connection');
    if (!response.headersSent) response.setHeader('Connection', 'close');
    this.#last.set(socket, response);
  }

  /** Ends the connection of a complete response, whose headers may have been sent before the drain began. */
  release(response: ServerResponse): void {
    const { socket } = response.req;
    if (this.#last.get(socket) === response) socket.end();
  }
}
