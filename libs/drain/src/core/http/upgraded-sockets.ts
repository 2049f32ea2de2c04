import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { type Clock, settlesWithin } from '@roost/time';
import { sendGoingAway, terminate } from './going-away.js';

/**
 * Connections that switched from HTTP to another protocol, usually WebSocket. Node's own list no longer contains them.
 */
export class UpgradedSockets {
  /** The open connections. The value is whether the connection speaks WebSocket. */
  readonly #open = new Map<Duplex, boolean>();

  /** Listener for `upgrade`. */
  readonly track = (request: IncomingMessage, socket: Duplex): void => {
    this.#open.set(socket, /\bwebsocket\b/i.test(request.headers.upgrade ?? ''));
    socket.once('close', () => this.#open.delete(socket));
  };

  /**
   * Sends a close frame to all WebSocket clients, and terminates all connections that are still open after `graceMs`.
   */
  async closeAll(graceMs: number, clock: Clock): Promise<void> {
    for (const [socket, isWebSocket] of this.#open) if (isWebSocket) sendGoingAway(socket);
    const closed = [...this.#open.keys()].map((socket) => new Promise((resolve) => socket.once('close', resolve)));
    await settlesWithin(Promise.all(closed), graceMs, clock);
    this.terminateAll();
  }

  terminateAll(): void {
    for (const socket of this.#open.keys()) terminate(socket);
  }
}
