import type { Clock, Timer } from '@roost/time';
import type { TcpConnection } from './tcp-connection.js';

const FIRST_DELAY_MS = 10;
const LONGEST_DELAY_MS = 500;
/** Time in ms after which a connection counts as stable, so the next attempt starts with the shortest delay. */
const GOOD_AFTER_MS = 1_000;

/** Dials one peer until there is a connection, with exponential backoff. */
export class Dial {
  #attempts = 0;
  #startedAt = 0;
  #timer: Timer | undefined;
  #connection: TcpConnection | undefined;
  #isStopped = false;

  constructor(
    readonly address: string,
    private readonly clock: Clock,
    /** Starts an attempt. Returns undefined if none is needed. */
    private readonly attempt: () => TcpConnection | undefined,
  ) {}

  start(): void {
    this.#startedAt = this.clock.monotonic();
    this.#connection = this.attempt();
  }

  /** Schedules another attempt, because there is no connection. */
  again(): void {
    if (this.#isStopped || this.#timer) return;
    if (this.clock.monotonic() - this.#startedAt >= GOOD_AFTER_MS) this.#attempts = 0;
    const delayMs = Math.min(FIRST_DELAY_MS * 2 ** this.#attempts++, LONGEST_DELAY_MS);
    this.#timer = this.clock.setTimer(delayMs, () => {
      this.#timer = undefined;
      this.start();
    });
  }

  /** Cancels a pending attempt. An established connection stays open. */
  stop(): void {
    this.#isStopped = true;
    this.#timer?.cancel();
    if (!this.#connection?.isOpen) this.#connection?.destroy('the connection is no longer needed');
  }
}
