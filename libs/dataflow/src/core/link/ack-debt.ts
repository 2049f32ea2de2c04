import type { Clock, Timer } from '@roost/time';

/** When traffic goes one way only, so many frames or bytes are acknowledged at once, … */
const MOST_FRAMES = 64;
const MOST_BYTES = 512 * 1024;
/** … and fewer after a moment. */
const DELAY_MS = 20;

/** What was received and not yet acknowledged. Every frame to the peer pays it; an ack of its own is the last resort. */
export class AckDebt {
  #frames = 0;
  #bytes = 0;
  #timer: Timer | undefined;

  constructor(
    private readonly clock: Clock,
    /** Sends an ack, and calls `paid` if that worked. */
    private readonly pay: () => void,
  ) {}

  add(bytes: number): void {
    this.#frames++;
    this.#bytes += bytes;
    if (this.#frames >= MOST_FRAMES || this.#bytes >= MOST_BYTES) return this.pay();
    // Not cancelled when the debt is paid: a new timer for each message would cost more than one that finds nothing.
    this.#timer ??= this.clock.setTimer(DELAY_MS, () => {
      this.#timer = undefined;
      this.settle();
    });
  }

  paid(): void {
    this.#frames = this.#bytes = 0;
  }

  /** Pays what is owed, if anything is. */
  settle(): void {
    if (this.#frames > 0) this.pay();
  }

  /** The other will be told by the next question or answer. */
  cancel(): void {
    this.paid();
    this.#timer?.cancel();
    this.#timer = undefined;
  }
}
