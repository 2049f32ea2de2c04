import { type Clock, formatDuration, type Timer } from '@roost/time';
import type { PeerEvent } from '../link/link-hub.js';

/** Tells when a peer was out of reach for too long. A short break is nothing: links mend themselves. */
export class PeerWatch {
  readonly #timers = new Map<string, Timer>();
  #isStopped = false;

  constructor(
    private readonly clock: Clock,
    private readonly crashAfterMs: number,
    private readonly lost: (peer: string, why: string) => void,
  ) {}

  tell(peer: string, event: PeerEvent, detail: string): void {
    if (this.#isStopped) return;
    if (event === 'silent') return this.lost(peer, detail);
    if (event === 'up' || event === 'alive' || event === 'restarted') return this.forget(peer);
    if (event !== 'down' || this.#timers.has(peer)) return;
    const why = `no connection for ${formatDuration(this.crashAfterMs)} (${detail})`;
    this.#timers.set(
      peer,
      this.clock.setTimer(this.crashAfterMs, () => {
        this.#timers.delete(peer);
        this.lost(peer, why);
      }),
    );
  }

  forget(peer: string): void {
    this.#timers.get(peer)?.cancel();
    this.#timers.delete(peer);
  }

  stop(): void {
    this.#isStopped = true;
    for (const peer of [...this.#timers.keys()]) this.forget(peer);
  }
}
