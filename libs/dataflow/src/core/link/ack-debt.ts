import type { Clock, Timer } from '@roost/time';

/** With one-way traffic, an ack is sent after this many frames or bytes … */
const MOST_FRAMES = 64;
const MOST_BYTES = 512 * 1024;
/** … or after this many ms, whichever is first. */
const DELAY_MS = 20;

/**
 * Tracks frames that were received but not acknowledged yet. Every frame to the peer carries an acknowledgement. A
 * separate ack is sent only if there is no other traffic.
 */
export class AckDebt {
  #frames = 0;
  #bytes = 0;
  #timer: Timer | undefined;

  constructor(
    private readonly clock: Clock,
    /** Sends an ack, and calls `paid` on success. */
    private readonly pay: () => void,
  ) {}

  add(bytes: number): void {
    this.#frames++;
    this.#bytes += bytes;
    if (this.#frames >= MOST_FRAMES || this.#bytes >= MOST_BYTES) return this.pay();
    // Not cancelled when the debt is paid: a new timer for each message would cost more than one that finds nothing to
    // do.
    this.#timer ??= this.clock.setTimer(DELAY_MS, () => {
      this.#timer = undefined;
      this.settle();
    });
  }

  paid(): void {
    this.#frames = this.#bytes = 0;
  }

  /** Sends an ack if one is owed. */
  settle(): void {
    if (this.#frames > 0) this.pay();
  }

  /** Drops the debt. The next sync frame tells the peer what was received. */
  cancel(): void {
    this.paid();
    this.#timer?.cancel();
    this.#timer = undefined;
  }
}
