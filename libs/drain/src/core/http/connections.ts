import type { Socket } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { type Clock, sleep } from '@roost/time';
import { type AnyHttpServer, isTls, speaksHttp2 } from './server.js';

/** A refused client on a fast network comes back sooner than this. */
const QUIET_MS = 10;
/** Interval at which `whenQuiet` counts the connections. There is no event for the end of the last one. */
const QUIET_POLL_MS = 5;
/** The same for `whenNone`, which may take long. */
const NONE_POLL_MS = 50;

/**
 * The open connections of a server. Node keeps a list of those that speak HTTP/1, so an idle one costs nothing here;
 * it knows nothing of those that have not finished the TLS handshake, or that speak HTTP/2.
 */
export class Connections {
  readonly #unlisted = new Set<Socket>();
  /** Number of connections since the start. */
  #opened = 0;
  /** Monotonic time when the newest one was opened and, over TLS, secured: then its client sends a request. */
  #openedAt = -Infinity;
  /** Monotonic time when a response last left its connection open for the next request. Set by the owner. */
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
   * Resolves when no connection has come for a moment and none waits to be accepted, or after `limitMs`. A connection that
   * is not accepted is reset with the listener, although to its client it is open.
   */
  async whenAccepted(limitMs: number): Promise<void> {
    const { clock } = this;
    const until = clock.monotonic() + limitMs;
    // The first turn may be the rest of this one.
    await nextTurn();
    let opened: number;
    do {
      opened = this.#opened;
      const quietAt = Math.min(this.#openedAt + QUIET_MS, until);
      if (clock.monotonic() < quietAt) await sleep(quietAt - clock.monotonic(), { clock });
      // Node accepts one in each turn of the event loop.
      await nextTurn();
    } while (this.#opened !== opened && clock.monotonic() < until);
  }

  /**
   * Resolves when a client can no longer be sending on a connection that was open to it a moment ago: `settleMs` after the
   * last one was opened or kept open, or when there are none.
   */
  async whenQuiet(settleMs: number): Promise<void> {
    await this.#poll(QUIET_POLL_MS, () => Math.max(this.keptOpenAt, this.#openedAt) + settleMs);
  }

  /** Resolves when there are none, or at this time of the monotonic clock. */
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

  /** Data that has not been sent by now is lost. */
  destroyAll(): void {
    if ('closeAllConnections' in this.server) this.server.closeAllConnections();
    for (const socket of this.#unlisted) socket.destroy();
  }
}
