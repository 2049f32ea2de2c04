import type { Duplex } from 'node:stream';
import type { AnyResponse } from './server.js';

/**
 * Responses to pipelined requests that wait for their turn. Node assigns the connection to a response when its turn
 * comes. A response that is still waiting when the connection closes emits no `close` event, so this class reports it.
 */
export class PipelinedResponses {
  readonly #waiting = new WeakMap<Duplex, Set<AnyResponse>>();

  /** @param onCut called for each response whose connection closed before its turn */
  constructor(private readonly onCut: (response: AnyResponse) => void) {}

  add(socket: Duplex, response: AnyResponse): void {
    const waiting = this.#waiting.get(socket) ?? this.#watch(socket);
    waiting.add(response);
    response.once('close', () => waiting.delete(response));
  }

  #watch(socket: Duplex): Set<AnyResponse> {
    const waiting = new Set<AnyResponse>();
    this.#waiting.set(socket, waiting);
    socket.once('close', () => waiting.forEach((response) => this.onCut(response)));
    return waiting;
  }
}
