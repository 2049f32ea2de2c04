// Not the global, which a test runner's fake timers may have replaced.
import { setImmediate } from 'node:timers';
import { type Clock, systemClock, type Timer } from '@roost/time';

/** Something to be done at a time. It is cancelled by the `AlarmClock` that it was set with. */
export abstract class Alarm {
  /** On the monotonic clock. Not 0 at first: the field is to hold a floating-point number from the start. */
  dueAt = NaN;
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

/** An alarm that is more likely cancelled at once than waited for. */
export abstract class BriefAlarm extends Alarm {
  constructor(readonly delayMs: number) {
    super();
  }
}

/** A heap of up to so many places is kept as it is: shrinking arrays costs more than all else here. */
const KEPT_PLACES = 64;

/**
 * All timers of a system on one timer of the clock: a heap by due time. A cancelled alarm stays in the heap until half
 * of it is such, so setting and cancelling cost next to nothing and what is forgotten does not pile up.
 */
export class AlarmClock {
  /** The first `count` places are the heap. */
  private heap: (Alarm | undefined)[] = [];
  private count = 0;
  /** How many in the heap are set. */
  private live = 0;
  private sequence = 0;
  private timer: Timer | undefined;
  /** When `timer` fires. */
  private wakesAt = Infinity;
  private disarming = false;
  private closed = false;
  /** The first `briefCount` were set in this turn of the event loop and are not in the heap yet. */
  private brief: BriefAlarm[] = [];
  private briefCount = 0;
  private briefLive = 0;
  private takingIn = false;

  constructor(readonly clock: Clock) {}

  /** How many alarms are set. */
  get size(): number {
    return this.live + this.briefLive;
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
    this.insert(alarm);
    if (dueAt < this.wakesAt) this.arm(dueAt);
  }

  /**
   * The clock is not even looked at for an alarm that is cancelled in the turn of the event loop in which it was set, as
   * nearly all are; the time of the others counts from the end of the turn. On any other clock than the system's, which
   * may be moved without a turn, it counts at once.
   */
  setBrief(alarm: BriefAlarm): void {
    if (this.clock !== systemClock) {
      this.set(alarm, alarm.delayMs);
      return;
    }
    if (this.closed) return;
    alarm.pending = true;
    this.brief[this.briefCount++] = alarm;
    this.briefLive++;
    if (this.takingIn) return;
    this.takingIn = true;
    setImmediate(() => this.takeInBrief());
  }

  /** Does nothing to an alarm that is not set. */
  cancel(alarm: Alarm): void {
    if (!alarm.pending) return;
    alarm.pending = false;
    if (Number.isNaN(alarm.dueAt)) this.forgetBrief();
    else if (--this.live === 0) {
      this.clear();
      this.disarmSoon();
    } else if (this.count > KEPT_PLACES && 2 * this.live < this.count) {
      const kept = this.heap.slice(0, this.count).filter((one) => one!.pending);
      this.clear();
      for (const one of kept) this.insert(one!);
    }
  }

  /** Nothing rings any more, also what is set later. Those that are set are told. */
  close(): void {
    this.closed = true;
    const set = [...this.heap.slice(0, this.count), ...this.brief.slice(0, this.briefCount)];
    const pending = set.filter((one) => one!.pending);
    this.clear();
    this.live = this.briefCount = this.briefLive = 0;
    this.disarm();
    for (const alarm of pending) {
      alarm!.pending = false;
      alarm!.abandon();
    }
  }

  private takeInBrief(): void {
    this.takingIn = false;
    const pending = this.brief.slice(0, this.briefCount).filter((one) => one.pending);
    this.briefCount = this.briefLive = 0;
    if (this.brief.length > KEPT_PLACES) this.brief = [];
    for (const alarm of pending) this.set(alarm, alarm.delayMs);
  }

  /** One of them was cancelled. They must not pile up until the end of the turn: most are garbage by now. */
  private forgetBrief(): void {
    if (--this.briefLive === 0) this.briefCount = 0;
    else if (this.briefCount > KEPT_PLACES && 2 * this.briefLive < this.briefCount) {
      this.brief = this.brief.slice(0, this.briefCount).filter((one) => one.pending);
      this.briefCount = this.brief.length;
    }
  }

  private clear(): void {
    this.count = 0;
    if (this.heap.length > KEPT_PLACES) this.heap = [];
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
    while (this.count > 0 && this.heap[0]!.dueAt <= now) {
      const alarm = this.take();
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
    for (const alarm of early) this.insert(alarm);
    while (this.count > 0 && !this.heap[0]!.pending) this.take();
    if (this.count > 0 && this.heap[0]!.dueAt < this.wakesAt) this.arm(this.heap[0]!.dueAt);
  }

  private insert(alarm: Alarm): void {
    const { heap } = this;
    let at = this.count++;
    while (at > 0) {
      const above = (at - 1) >> 1;
      if (ringsBefore(heap[above]!, alarm)) break;
      heap[at] = heap[above];
      at = above;
    }
    heap[at] = alarm;
  }

  private take(): Alarm {
    const { heap } = this;
    const first = heap[0]!;
    const count = --this.count;
    const last = heap[count]!;
    heap[count] = undefined;
    if (count === 0) return first;
    let at = 0;
    for (;;) {
      let below = 2 * at + 1;
      if (below >= count) break;
      if (below + 1 < count && ringsBefore(heap[below + 1]!, heap[below]!)) below++;
      if (ringsBefore(last, heap[below]!)) break;
      heap[at] = heap[below];
      at = below;
    }
    heap[at] = last;
    return first;
  }
}

const ringsBefore = (a: Alarm, b: Alarm): boolean =>
  a.dueAt < b.dueAt || (a.dueAt === b.dueAt && a.sequence < b.sequence);
