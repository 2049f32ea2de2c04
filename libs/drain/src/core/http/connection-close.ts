import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/**
 * Makes a response the last one of its connection. Only the response that no other waits behind may say
 * `Connection: close`: Node ends the connection after it, and pipelined requests would get no answer.
 */
export class ConnectionClose {
  readonly #last = new WeakMap<Socket, ServerResponse>();

  /** Called for the responses of a connection in their order. */
  claim(response: ServerResponse): void {
    const { socket } = response.req;
    const previous = this.#last.get(socket);
    if (previous && !previous.headersSent) previous.removeHeader('Connection');
    if (!response.headersSent) response.setHeader('Connection', 'close');
    this.#last.set(socket, response);
  }

  /** Ends the connection of a complete response. Its headers may have been sent before the drain began. */
  release(response: ServerResponse): void {
    const { socket } = response.req;
    if (this.#last.get(socket) === response) socket.end();
  }
}
