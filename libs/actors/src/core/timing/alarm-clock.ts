// Imported, because fake timers of a test runner may have replaced the global.
import { setImmediate } from 'node:timers';
import { type Clock, systemClock, type Timer } from '@roost/time';
import { Heap } from '../collections/heap.js';

/** Something to do at a given time. Cancel it with the `AlarmClock` that it was set with. */
export abstract class Alarm {
  /** Due time on the monotonic clock. Initially null, because a double would need a heap object even if never set. */
  dueAt: number | null = null;
  /** Breaks ties: of two alarms for the same time, the one set first rings first. */
  sequence = 0;
  /** Whether the alarm is set and has neither rung nor been cancelled. */
  pending = false;

  /** Must not throw. */
  abstract ring(): void;

  /** Called when the clock is closed while the alarm is set. Must not throw. */
  abandon(): void {
    // Most alarms have nothing to do.
  }
}

/** An alarm that calls a function. */
export class CallbackAlarm extends Alarm {
  constructor(readonly callback: () => void) {
    super();
  }

  ring(): void {
    this.callback();
  }
}

/** An alarm that is usually cancelled before it rings, such as the timeout of an `ask`. */
export abstract class BriefAlarm extends Alarm {
  /** The batch that contains the alarm, if any. */
  batch: Batch | null = null;

  constructor(readonly delayMs: number) {
    super();
  }
}

/** In an array longer than this, cancelled entries are removed once they are more than half. */
const FEW_PLACES = 64;

/**
 * Runs all timers of a system on one timer of the clock, with a heap ordered by due time. Cancelled alarms stay in the
 * heap until they are more than half of it, so setting and cancelling are cheap and cancelled alarms do not accumulate.
 */
export class AlarmClock {
  private readonly heap = new Heap<Alarm>(ringsBefore);
  /** Number of alarms in the heap that are set. */
  private live = 0;
  private sequence = 0;
  private timer: Timer | undefined;
  /** Time at which `timer` fires. */
  private wakesAt = Infinity;
  private disarming = false;
  private closed = false;
  /** Brief alarms set in this turn of the event loop. */
  private batch: Batch | null = null;

  constructor(readonly clock: Clock) {}

  /** Number of alarms set; a batch counts as one. */
  get size(): number {
    return this.live + (this.batch === null || this.batch.live === 0 ? 0 : 1);
  }

  set(alarm: Alarm, delayMs: number): void {
    this.setAt(alarm, this.clock.monotonic() + delayMs);
  }

  /** @param dueAt on the monotonic clock; an alarm in the past rings soon, but never before this returns */
  setAt(alarm: Alarm, dueAt: number): void {
    if (this.closed) return;
    alarm.dueAt = dueAt;
    alarm.sequence = ++this.sequence;
    alarm.pending = true;
    this.live++;
    this.heap.push(alarm);
    if (dueAt < this.wakesAt) this.arm(dueAt);
  }

  /**
   * Sets the alarm in a batch with all other brief alarms of this turn of the event loop. A batch needs one heap entry
   * and one clock reading, at the end of the turn, if any of its alarms is still set. The delay counts from then. With
   * another clock than `systemClock`, which may advance within a turn, the delay counts at once.
   */
  setBrief(alarm: BriefAlarm): void {
    if (this.clock !== systemClock) {
      this.set(alarm, alarm.delayMs);
      return;
    }
    if (this.closed) return;
    if (this.batch === null) {
      this.batch = new Batch(this);
      setImmediate(() => this.endBatch());
    }
    this.batch.add(alarm);
  }

  /** Does nothing to an alarm that is not set. */
  cancel(alarm: Alarm): void {
    if (!alarm.pending) return;
    alarm.pending = false;
    if (alarm instanceof BriefAlarm && alarm.batch !== null) {
      const { batch } = alarm;
      alarm.batch = null;
      if (batch.removed() === 0) this.cancel(batch);
      return;
    }
    if (--this.live === 0) {
      this.heap.clear();
      this.disarmSoon();
    } else if (this.heap.size > FEW_PLACES && 2 * this.live < this.heap.size) {
      this.heap.filter(({ pending }) => pending);
    }
  }

  /** Abandons all alarms. Alarms set later never ring. */
  close(): void {
    this.closed = true;
    const alarms = [...this.heap.toArray(), this.batch];
    this.heap.clear();
    this.batch = null;
    this.live = 0;
    this.disarm();
    for (const alarm of alarms) {
      if (!alarm || (!alarm.pending && !(alarm instanceof Batch))) continue;
      alarm.pending = false;
      alarm.abandon();
    }
  }

  private endBatch(): void {
    const { batch } = this;
    this.batch = null;
    if (batch !== null && batch.live > 0) batch.begin();
  }

  private arm(dueAt: number): void {
    this.timer?.cancel();
    this.wakesAt = dueAt;
    this.timer = this.clock.setTimer(Math.max(0, dueAt - this.clock.monotonic()), () => this.wake());
  }

  private disarm(): void {
    this.timer?.cancel();
    this.timer = undefined;
    this.wakesAt = Infinity;
  }

  /** A pending timer keeps the process alive, so it is cancelled, but only if no other alarm is set in this turn. */
  private disarmSoon(): void {
    if (this.disarming) return;
    this.disarming = true;
    setImmediate(() => {
      this.disarming = false;
      if (this.live === 0) this.disarm();
    });
  }

  private wake(): void {
    this.timer = undefined;
    this.wakesAt = Infinity;
    const now = this.clock.monotonic();
    // Alarms that are set while others ring wait for the next turn, so that an alarm that resets itself cannot hang the
    // process.
    const last = this.sequence;
    const early: Alarm[] = [];
    while (this.heap.size > 0 && this.heap.peek().dueAt! <= now) {
      const alarm = this.heap.take();
      if (!alarm.pending) continue;
      if (alarm.sequence > last) {
        early.push(alarm);
        continue;
      }
      alarm.pending = false;
      this.live--;
      alarm.ring();
    }
    if (this.closed) return;
    for (const alarm of early) this.heap.push(alarm);
    while (this.heap.size > 0 && !this.heap.peek().pending) this.heap.take();
    if (this.heap.size > 0 && this.heap.peek().dueAt! < this.wakesAt) this.arm(this.heap.peek().dueAt!);
  }
}

function ringsBefore(a: Alarm, b: Alarm): boolean {
  return a.dueAt! < b.dueAt! || (a.dueAt === b.dueAt && a.sequence < b.sequence);
}

/** Brief alarms that count from the same time. Rings when the first could be due, and then sets the remaining ones. */
class Batch extends Alarm {
  live = 0;
  /** Only the first `count` slots are in use. */
  private alarms: BriefAlarm[] = [];
  private count = 0;
  private leastMs = Infinity;
  private began = 0;

  constructor(private readonly owner: AlarmClock) {
    super();
  }

  add(alarm: BriefAlarm): void {
    alarm.pending = true;
    alarm.batch = this;
    this.alarms[this.count++] = alarm;
    this.live++;
    if (alarm.delayMs < this.leastMs) this.leastMs = alarm.delayMs;
  }

  /** Called when one of its alarms was cancelled. Cancelled alarms must not accumulate. */
  removed(): number {
    if (--this.live === 0) this.count = 0;
    else if (this.count > FEW_PLACES && 2 * this.live < this.count) {
      this.alarms = this.left();
      this.count = this.live;
    }
    return this.live;
  }

  begin(): void {
    this.began = this.owner.clock.monotonic();
    this.owner.setAt(this, this.began + this.leastMs);
  }

  ring(): void {
    for (const alarm of this.giveUp()) this.owner.setAt(alarm, this.began + alarm.delayMs);
  }

  override abandon(): void {
    for (const alarm of this.giveUp()) {
      alarm.pending = false;
      alarm.abandon();
    }
  }

  private left(): BriefAlarm[] {
    return this.alarms.slice(0, this.count).filter(({ batch }) => batch === this);
  }

  private giveUp(): BriefAlarm[] {
    const left = this.left();
    for (const alarm of left) alarm.batch = null;
    this.live = this.count = 0;
    return left;
  }
}
