// Not the global, which a test runner's fake timers may have replaced.
import { setImmediate } from 'node:timers';
import { type Clock, systemClock, type Timer } from '@roost/time';
import { Heap } from '../collections/heap.js';

/** Something to be done at a time. It is cancelled by the `AlarmClock` that it was set with. */
export abstract class Alarm {
  /** On the monotonic clock. Null at first, since a number would be an object of its own for alarms that never need it. */
  dueAt: number | null = null;
  /** Of two alarms for the same instant, the one that was set first rings first. */
  sequence = 0;
  /** Set, and neither rung nor cancelled. */
  pending = false;

  /** Must not throw. */
  abstract ring(): void;

  /** The clock was closed while the alarm was set. Must not throw. */
  abandon(): void {
    // Most have nothing to say about it.
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

/** An alarm that is more likely cancelled than waited for, such as the timeout of an `ask`. */
export abstract class BriefAlarm extends Alarm {
  /** Those it was set with, while it is one of them. */
  batch: Batch | null = null;

  constructor(readonly delayMs: number) {
    super();
  }
}

/** With more places than this, half of them given up is too much. */
const FEW_PLACES = 64;

/**
 * All timers of a system on one timer of the clock: a heap by due time. A cancelled alarm stays in the heap until half
 * of it is such, so setting and cancelling cost next to nothing and what is forgotten does not pile up.
 */
export class AlarmClock {
  private readonly heap = new Heap<Alarm>(ringsBefore);
  /** How many in the heap are set. */
  private live = 0;
  private sequence = 0;
  private timer: Timer | undefined;
  /** When `timer` fires. */
  private wakesAt = Infinity;
  private disarming = false;
  private closed = false;
  /** Brief alarms of this turn of the event loop. */
  private batch: Batch | null = null;

  constructor(readonly clock: Clock) {}

  /** How many alarms are set; a batch counts as one. */
  get size(): number {
    return this.live + (this.batch === null || this.batch.live === 0 ? 0 : 1);
  }

  set(alarm: Alarm, delayMs: number): void {
    this.setAt(alarm, this.clock.monotonic() + delayMs);
  }

  /** @param dueAt on the monotonic clock; an alarm for a time in the past rings soon, never before this returns */
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
   * Sets the alarm together with all other brief ones of this turn of the event loop: they need one place in the heap and
   * one look at the clock, at the end of the turn, if any is left by then. The time counts from there. On any other clock
   * than the system's, which may be moved without a turn, it counts at once.
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

  /** Nothing rings any more, also what is set later. Those that are set are told. */
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

  /** A timer of the clock keeps the process alive, so it must go; but not before it is known that no other alarm comes. */
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
    // Those that a ringing alarm sets for now wait for the next turn: one that sets itself again must not hang the process.
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

/** Brief alarms that count from the same moment. It rings when the first could be due, and sets those that are left. */
class Batch extends Alarm {
  live = 0;
  /** The first `count` are in it. */
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

  /** One of them was cancelled. They must not pile up: most are garbage soon. */
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
