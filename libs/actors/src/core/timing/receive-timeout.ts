import type { ActorCell } from '../cell/actor-cell.js';
import { ReceiveTimeout } from '../signals.js';
import { Alarm } from './alarm-clock.js';

/**
 * Tells an actor when it has had no message for a while, and again after each further while. It notes the time after each batch of messages and looks at it
 * when the alarm rings, so a message costs nothing.
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

  /** A message has been handled. */
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
