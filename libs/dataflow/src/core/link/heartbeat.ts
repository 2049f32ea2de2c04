import type { Clock, Timer } from '@roost/time';

export interface HeartbeatOptions {
  readonly clock: Clock;
  /** How often a peer hears something, at least. */
  readonly heartbeatMs: number;
  /** After which silence a peer is reported. More than two heartbeats, since one may just have been missed. */
  readonly silenceMs: number;
  /** Sends something that says nothing. */
  ping(peer: string): void;
  silent(peer: string, forMs: number): void;
  alive(peer: string): void;
}

/** The signs of life of one peer and to it. */
export interface Pulse {
  /** The peer has sent something. The first time makes it known: nobody is reported who was never heard. */
  heard(): void;
  /** Something was sent to the peer, so it needs no ping. */
  spoken(): void;
}

/**
 * Notices which peers have fallen silent. It looks once per heartbeat and counts the looks at which nothing had come, so
 * a frame costs no look at the clock. A process that was itself stopped, or too busy to look in time, begins to count
 * anew: what its peers sent meanwhile is still to be read.
 */
export class Heartbeat {
  readonly #watched = new Map<string, Watched>();
  #timer: Timer | undefined;

  constructor(private readonly options: HeartbeatOptions) {}

  watch(peer: string): Pulse {
    let watched = this.#watched.get(peer);
    if (!watched) {
      watched = new Watched(peer, this.options);
      this.#watched.set(peer, watched);
    }
    this.#timer ??= this.#wait();
    return watched;
  }

  forget(peer: string): void {
    this.#watched.delete(peer);
    if (this.#watched.size === 0) this.stop();
  }

  stop(): void {
    this.#watched.clear();
    this.#timer?.cancel();
    this.#timer = undefined;
  }

  #wait(): Timer {
    const { clock, heartbeatMs } = this.options;
    const dueAt = clock.monotonic() + heartbeatMs;
    return clock.setTimer(heartbeatMs, () => {
      this.#timer = this.#wait();
      const wasAway = clock.monotonic() - dueAt > heartbeatMs;
      for (const watched of this.#watched.values()) watched.look(wasAway);
    });
  }
}

class Watched implements Pulse {
  #isKnown = false;
  #isHeard = false;
  #isSpoken = false;
  #isSilent = false;
  #emptyLooks = 0;

  constructor(
    private readonly peer: string,
    private readonly options: HeartbeatOptions,
  ) {}

  heard(): void {
    this.#isHeard = true;
    if (!this.#isSilent) return;
    this.#isSilent = false;
    this.options.alive(this.peer);
  }

  spoken(): void {
    this.#isSpoken = true;
  }

  look(startsOver: boolean): void {
    const { peer, options } = this;
    if (!this.#isSpoken) options.ping(peer);
    this.#isSpoken = false;
    this.#isKnown ||= this.#isHeard;
    this.#emptyLooks = this.#isHeard || startsOver ? 0 : this.#emptyLooks + 1;
    this.#isHeard = false;
    const forMs = this.#emptyLooks * options.heartbeatMs;
    if (!this.#isKnown || this.#isSilent || forMs < options.silenceMs) return;
    this.#isSilent = true;
    options.silent(peer, forMs);
  }
}
