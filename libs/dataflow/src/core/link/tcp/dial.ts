import type { Clock, Timer } from '@roost/time';
import type { TcpConnection } from './tcp-connection.js';

const FIRST_DELAY_MS = 10;
const LONGEST_DELAY_MS = 500;
/** A connection that has held for so long was a good one: the next attempt comes soon. */
const GOOD_AFTER_MS = 1_000;

/** Tries again and again to have a connection with one peer, at first soon, then more slowly. */
export class Dial {
  #attempts = 0;
  #startedAt = 0;
  #timer: Timer | undefined;
  #connection: TcpConnection | undefined;
  #isStopped = false;

  constructor(
    readonly address: string,
    private readonly clock: Clock,
    /** Begins an attempt, or sees that none is needed. */
    private readonly attempt: () => TcpConnection | undefined,
  ) {}

  start(): void {
    this.#startedAt = this.clock.monotonic();
    this.#connection = this.attempt();
  }

  /** There is no connection, or none any more. */
  again(): void {
    if (this.#isStopped || this.#timer) return;
    if (this.clock.monotonic() - this.#startedAt >= GOOD_AFTER_MS) this.#attempts = 0;
    const delayMs = Math.min(FIRST_DELAY_MS * 2 ** this.#attempts++, LONGEST_DELAY_MS);
    this.#timer = this.clock.setTimer(delayMs, () => {
      this.#timer = undefined;
      this.start();
    });
  }

  /** An attempt under way is given up; a connection that is there stays. */
  stop(): void {
    this.#isStopped = true;
    this.#timer?.cancel();
    if (!this.#connection?.isOpen) this.#connection?.destroy('the connection is no longer needed');
  }
}
