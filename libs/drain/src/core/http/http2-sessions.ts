import { constants, type ServerHttp2Session } from 'node:http2';
import { type Clock, settlesWithin } from '@roost/time';
import type { AnyHttpServer } from './server.js';

const ANY_STREAM = 2 ** 31 - 1;

/**
 * Sends HTTP/2 clients away in two steps: first a notice that names no last stream, then, after a round trip, the real
 * one. Node takes no stream after the notice, and says so with the second step only, so the two belong together.
 */
export class Http2Sessions {
  readonly #open = new Set<ServerHttp2Session>();
  readonly #leaving = new WeakMap<ServerHttp2Session, Promise<void>>();
  #noticed = false;
  #closing = false;

  constructor(
    server: AnyHttpServer,
    private readonly clock: Clock,
    /** How long a client has to answer a ping. */
    private readonly roundTripMs: number,
  ) {
    server.on('session', (session: ServerHttp2Session) => {
      this.#open.add(session);
      session.once('close', () => this.#open.delete(session));
      // Sent away before it has asked for anything, a client would be left with a request that it never sends.
      if (this.#closing) void this.#sendAwaySoon(session);
      else if (this.#noticed) session.once('stream', () => void this.#sendAway(session));
    });
  }

  /** No further streams after this. Those that are open go on to their end, and the session with the last of them. */
  notice(): void {
    this.#noticed = true;
    for (const session of this.#open) void this.#sendAway(session);
  }

  /** Resolves when all have been told. */
  async closeAll(): Promise<void> {
    this.#closing = true;
    await Promise.all([...this.#open].map((session) => this.#sendAway(session)));
  }

  /** A stream has ended when its last frame is in the hands of the session; the session when it has been sent. */
  async whenClosed(): Promise<void> {
    const closed = (session: ServerHttp2Session) => new Promise<void>((resolve) => session.once('close', resolve));
    await Promise.all([...this.#open].map(closed));
  }

  async #sendAwaySoon(session: ServerHttp2Session): Promise<void> {
    const first = new Promise<void>((resolve) => session.once('stream', () => resolve()).once('close', resolve));
    await settlesWithin(first, this.roundTripMs, this.clock);
    await this.#sendAway(session);
  }

  #sendAway(session: ServerHttp2Session): Promise<void> {
    const leaving = this.#leaving.get(session) ?? this.#closeInTwoSteps(session);
    this.#leaving.set(session, leaving);
    return leaving;
  }

  async #closeInTwoSteps(session: ServerHttp2Session): Promise<void> {
    if (!session.destroyed) session.goaway(constants.NGHTTP2_NO_ERROR, ANY_STREAM);
    await settlesWithin(roundTrip(session), this.roundTripMs, this.clock);
    session.close();
  }
}

const roundTrip = (session: ServerHttp2Session): Promise<void> =>
  new Promise((resolve) => {
    session.once('close', resolve);
    if (session.destroyed || !session.ping(() => resolve())) resolve();
  });
