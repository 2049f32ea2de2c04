import type { Socket } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { type Clock, sleep } from '@roost/time';
import { type AnyHttpServer, isTls, speaksHttp2 } from './server.js';

/** A refused client on a fast network reconnects sooner than this. */
const QUIET_MS = 10;
/** Interval at which `whenQuiet` counts the connections. Node emits no event when the last one closes. */
const QUIET_POLL_MS = 5;
/** Interval at which `whenNone` counts the connections. It is longer because that wait can be long. */
const NONE_POLL_MS = 50;

/**
 * The open connections of a server. Node keeps a list of HTTP/1 connections, so an idle one costs nothing here. Its
 * list lacks connections that have not finished the TLS handshake and connections that speak HTTP/2.
 */
export class Connections {
  readonly #unlisted = new Set<Socket>();
  /** Number of connections since startup. */
  #opened = 0;
  /**
   * Monotonic time when the newest connection was opened and, over TLS, secured. Its client sends a request after that.
   */
  #openedAt = -Infinity;
  /** Monotonic time when a response last left its connection open for another request. Set by the owner. */
  keptOpenAt = -Infinity;

  constructor(
    private readonly server: AnyHttpServer,
    private readonly clock: Clock,
  ) {
    const isUnlisted = isTls(server) || speaksHttp2(server);
    if (isTls(server)) server.on('secureConnection', () => (this.#openedAt = clock.monotonic()));
    server.on('connection', (socket: Socket) => {
      this.#openedAt = clock.monotonic();
      this.#opened++;
      if (!isUnlisted) return;
      this.#unlisted.add(socket);
      socket.once('close', () => this.#unlisted.delete(socket));
    });
  }

  /**
   * Resolves when no new connection has arrived for a moment and none is waiting to be accepted, or after `limitMs`.
   * Closing the listener resets a connection that has not been accepted, although its client already considers it open.
   */
  async whenAccepted(limitMs: number): Promise<void> {
    const { clock } = this;
    const until = clock.monotonic() + limitMs;
    // The first turn may be the remainder of the current one.
    await nextTurn();
    let opened: number;
    do {
      opened = this.#opened;
      const quietAt = Math.min(this.#openedAt + QUIET_MS, until);
      if (clock.monotonic() < quietAt) await sleep(quietAt - clock.monotonic(), { clock });
      // Node accepts one connection per turn of the event loop.
      await nextTurn();
    } while (this.#opened !== opened && clock.monotonic() < until);
  }

  /**
   * Resolves when no client can still be sending on a connection it believes to be open: `settleMs` after the last
   * connection was opened or kept open, or when there are no connections.
   */
  async whenQuiet(settleMs: number): Promise<void> {
    await this.#poll(QUIET_POLL_MS, () => Math.max(this.keptOpenAt, this.#openedAt) + settleMs);
  }

  /** Resolves when there are no connections, or at the given monotonic time. */
  async whenNone(until: number): Promise<void> {
    await this.#poll(NONE_POLL_MS, () => until);
  }

  async #poll(intervalMs: number, until: () => number): Promise<void> {
    const { clock } = this;
    while (clock.monotonic() < until() && (await this.#count()) > 0) await sleep(intervalMs, { clock });
  }

  #count(): Promise<number> {
    return new Promise((resolve) => this.server.getConnections((error, count) => resolve(error ? 0 : count)));
  }

  /** Data that has not been sent yet is lost. */
  destroyAll(): void {
    if ('closeAllConnections' in this.server) this.server.closeAllConnections();
    for (const socket of this.#unlisted) socket.destroy();
  }
}
