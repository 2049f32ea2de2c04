import type { Clock, Timer } from '@roost/time';

export interface HeartbeatOptions {
  readonly clock: Clock;
  /** Maximum time in ms between two frames to a peer. */
  readonly heartbeatMs: number;
  /** Silence in ms after which a peer is reported. More than two heartbeats, because one may just have been missed. */
  readonly silenceMs: number;
  /** Sends an empty frame. */
  ping(peer: string): void;
  silent(peer: string, forMs: number): void;
  alive(peer: string): void;
}

/** Records the traffic with one peer. */
export interface Pulse {
  /** Records a frame from the peer. A peer is never reported as silent before its first frame. */
  heard(): void;
  /** Records a frame to the peer, which makes a ping unnecessary. */
  spoken(): void;
}

/**
 * Detects silent peers. It checks once per heartbeat and counts the checks without a frame, so that a frame does not
 * cost a read of the clock. A process that was paused or too busy to check in time restarts the count, because the
 * frames that its peers sent in the meantime have not been read yet.
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
