import { constants, type ServerHttp2Session } from 'node:http2';
import { type Clock, settlesWithin } from '@roost/time';
import type { AnyHttpServer } from './server.js';

const ANY_STREAM = 2 ** 31 - 1;

/**
 * Closes HTTP/2 sessions in two steps: first a GOAWAY that names no last stream, then, after a round trip, the final
 * GOAWAY. Node accepts no stream after the first step but reports this only in the second, so both steps belong
 * together.
 */
export class Http2Sessions {
  readonly #open = new Set<ServerHttp2Session>();
  readonly #leaving = new WeakMap<ServerHttp2Session, Promise<void>>();
  #noticed = false;
  #closing = false;

  constructor(
    server: AnyHttpServer,
    private readonly clock: Clock,
    /** Time for a client to answer a ping, in ms. */
    private readonly roundTripMs: number,
  ) {
    server.on('session', (session: ServerHttp2Session) => {
      this.#open.add(session);
      session.once('close', () => this.#open.delete(session));
      // A client that gets a GOAWAY before its first request would hold that request and never send it.
      if (this.#closing) void this.#sendAwaySoon(session);
      else if (this.#noticed) session.once('stream', () => void this.#sendAway(session));
    });
  }

  /**
   * Announces that no further streams are accepted. Open streams continue, and the session closes with the last of
   * them.
   */
  notice(): void {
    this.#noticed = true;
    for (const session of this.#open) void this.#sendAway(session);
  }

  /** Resolves when every session has received both steps. */
  async closeAll(): Promise<void> {
    this.#closing = true;
    await Promise.all([...this.#open].map((session) => this.#sendAway(session)));
  }

  /**
   * Resolves when all sessions are closed. A stream closes when its last frame is queued in the session, but a session
   * closes only after that frame has been sent.
   */
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
