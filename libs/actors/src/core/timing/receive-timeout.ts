import type { ActorCell } from '../cell/actor-cell.js';
import { ReceiveTimeout } from '../signals.js';
import { Alarm } from './alarm-clock.js';

/**
 * Sends `ReceiveTimeout` to an actor after `timeoutMs` without a message, and again after each further `timeoutMs`. The
 * time is recorded after each batch of messages and checked when the alarm rings, so a message costs nothing.
 */
export class ReceiveTimeoutAlarm extends Alarm {
  private lastMessageAt: number;

  constructor(
    private readonly cell: ActorCell,
    private readonly timeoutMs: number,
  ) {
    super();
    this.lastMessageAt = this.alarms.clock.monotonic();
    this.alarms.set(this, timeoutMs);
  }

  /** Records that a message was handled. */
  touch(): void {
    this.lastMessageAt = this.alarms.clock.monotonic();
  }

  ring(): void {
    const now = this.alarms.clock.monotonic();
    if (this.cell.isBusy) this.lastMessageAt = now;
    if (now - this.lastMessageAt >= this.timeoutMs) {
      this.lastMessageAt = now;
      this.cell.pushSignal(new ReceiveTimeout());
    }
    this.alarms.setAt(this, this.lastMessageAt + this.timeoutMs);
  }

  cancel(): void {
    this.alarms.cancel(this);
  }

  private get alarms() {
    return this.cell.system.alarms;
  }
}
