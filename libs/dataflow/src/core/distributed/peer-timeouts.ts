import { type Clock, formatDuration, type Timer } from '@roost/time';
import type { PeerEvent } from '../link/link-hub.js';

/** Reports a peer that stays unreachable for `crashAfterMs`. Shorter breaks do not count, because links reconnect. */
export class PeerTimeouts {
  readonly #timers = new Map<string, Timer>();
  #isStopped = false;

  constructor(
    private readonly clock: Clock,
    private readonly crashAfterMs: number,
    private readonly onLost: (peer: string, why: string) => void,
  ) {}

  observe(peer: string, event: PeerEvent, detail: string): void {
    if (this.#isStopped) return;
    if (event === 'silent') return this.onLost(peer, detail);
    if (event === 'up' || event === 'alive' || event === 'restarted') return this.forget(peer);
    if (event !== 'down' || this.#timers.has(peer)) return;
    const why = `no connection for ${formatDuration(this.crashAfterMs)} (${detail})`;
    this.#timers.set(
      peer,
      this.clock.setTimer(this.crashAfterMs, () => {
        this.#timers.delete(peer);
        this.onLost(peer, why);
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
