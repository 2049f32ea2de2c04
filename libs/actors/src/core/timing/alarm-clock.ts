// Not the global, which a test runner's fake timers may have replaced.
import { setImmediate } from 'node:timers';
import type { Clock, Timer } from '@roost/time';

/** Something to be done at a time. It is cancelled by the `AlarmClock` that it was set with. */
export abstract class Alarm {
  dueAt = 0;
  /** Of two alarms for the same instant, the one that was set first rings first. */
  sequence = 0;
  /** Set, and neither rung nor cancelled. */
  pending = false;

  /** Must not throw. */
  abstract ring(): void;
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

const COMPACT_ABOVE = 32;

/**
 * All timers of a system on one timer of the clock: a heap by due time. A cancelled alarm stays in the heap until half
 * of it is such, so setting and cancelling cost next to nothing and what is forgotten does not pile up.
 */
export class AlarmClock {
  private heap: Alarm[] = [];
  private live = 0;
  private sequence = 0;
  private timer: Timer | undefined;
  /** When `timer` fires. */
  private wakesAt = Infinity;
  private disarming = false;
  private closed = false;

  constructor(readonly clock: Clock) {}

  /** How many alarms are set. */
  get size(): number {
    return this.live;
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

  /** Does nothing to an alarm that is not set. */
  cancel(alarm: Alarm): void {
    if (!alarm.pending) return;
    alarm.pending = false;
    if (--this.live === 0) {
      this.heap.length = 0;
      this.disarmSoon();
    } else if (this.heap.length > COMPACT_ABOVE && 2 * this.live < this.heap.length) {
      const kept = this.heap.filter(({ pending }) => pending);
      this.heap = [];
      for (const one of kept) this.insert(one);
    }
  }

  /** Nothing rings any more, also what is set later. */
  close(): void {
    this.closed = true;
    for (const alarm of this.heap) alarm.pending = false;
    this.heap.length = 0;
    this.live = 0;
    this.disarm();
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

  /** A timer of the clock keeps the process alive; arming one for every ask that is answered at once would cost too much. */
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
    while (this.heap.length > 0 && this.heap[0]!.dueAt <= now) {
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
    while (this.heap.length > 0 && !this.heap[0]!.pending) this.take();
    const next = this.heap[0];
    if (next && next.dueAt < this.wakesAt) this.arm(next.dueAt);
  }

  private insert(alarm: Alarm): void {
    const { heap } = this;
    let at = heap.length;
    while (at > 0) {
      const above = (at - 1) >> 1;
      if (ringsBefore(heap[above]!, alarm)) break;
      heap[at] = heap[above]!;
      at = above;
    }
    heap[at] = alarm;
  }

  private take(): Alarm {
    const { heap } = this;
    const first = heap[0]!;
    const last = heap.pop()!;
    if (heap.length === 0) return first;
    let at = 0;
    for (;;) {
      let below = 2 * at + 1;
      if (below >= heap.length) break;
      if (below + 1 < heap.length && ringsBefore(heap[below + 1]!, heap[below]!)) below++;
      if (ringsBefore(last, heap[below]!)) break;
      heap[at] = heap[below]!;
      at = below;
    }
    heap[at] = last;
    return first;
  }
}

const ringsBefore = (a: Alarm, b: Alarm): boolean =>
  a.dueAt < b.dueAt || (a.dueAt === b.dueAt && a.sequence < b.sequence);
