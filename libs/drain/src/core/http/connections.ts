import type { Socket } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { type Clock, sleep } from '@roost/time';
import { type AnyHttpServer, isTls, speaksHttp2 } from './server.js';

/** A client that is refused takes less to come again, unless the network takes longer. */
const QUIET_MS = 10;

/**
 * The open connections of a server. Node keeps a list of those that speak HTTP/1, so an idle one costs nothing here;
 * it knows nothing of those that have not finished the TLS handshake, or that speak HTTP/2.
 */
export class Connections {
  readonly #unlisted = new Set<Socket>();
  /** How many there have been. */
  #opened = 0;
  /** When the newest one was opened and, over TLS, secured, by the monotonic clock: then its client sends a request. */
  openedAt = -Infinity;

  constructor(
    private readonly server: AnyHttpServer,
    private readonly clock: Clock,
  ) {
    const isUnlisted = isTls(server) || speaksHttp2(server);
    if (isTls(server)) server.on('secureConnection', () => (this.openedAt = clock.monotonic()));
    server.on('connection', (socket: Socket) => {
      this.openedAt = clock.monotonic();
      this.#opened++;
      if (!isUnlisted) return;
      this.#unlisted.add(socket);
      socket.once('close', () => this.#unlisted.delete(socket));
    });
  }

  /**
   * Resolves when none has come for a moment and none waits to be accepted, or after `limitMs`. Those that nobody has
   * accepted are reset with the listener, although to their clients they are open.
   */
  async whenAccepted(limitMs: number): Promise<void> {
    const { clock } = this;
    const until = clock.monotonic() + limitMs;
    // The first turn may be the rest of this one.
    await nextTurn();
    let opened: number;
    do {
      opened = this.#opened;
      const quietAt = Math.min(this.openedAt + QUIET_MS, until);
      if (clock.monotonic() < quietAt) await sleep(quietAt - clock.monotonic(), { clock });
      // Node accepts one in each turn of the event loop.
      await nextTurn();
    } while (this.#opened !== opened && clock.monotonic() < until);
  }

  count(): Promise<number> {
    return new Promise((resolve) => this.server.getConnections((error, count) => resolve(error ? 0 : count)));
  }

  /** Whatever has not been sent on them by now is lost. */
  destroyAll(): void {
    if ('closeAllConnections' in this.server) this.server.closeAllConnections();
    for (const socket of this.#unlisted) socket.destroy();
  }
}
