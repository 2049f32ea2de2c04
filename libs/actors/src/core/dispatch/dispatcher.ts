// Not the globals, which a test runner's fake timers may have replaced.
import { performance } from 'node:perf_hooks';
import { setImmediate } from 'node:timers';
import { Ring } from '../collections/ring.js';

/** Something with work to do, a few messages at a time. */
export interface Runnable {
  /** Handles at most `budget` messages and returns how many it did. Queues itself again when more are waiting. */
  run(budget: number): number;
}

/** How long actors may run before timers and I/O get their turn. */
const SLICE_MS = 3;
const MOST_MESSAGES_UNTIL_CHECK = 64;
/** Handlers that take longer than this between two looks at the clock have it looked at more often. */
const SLOW_CHECK_MS = 1;

/** `then` on it wakes the dispatcher in a microtask; several times cheaper than `queueMicrotask`. */
const resolved = Promise.resolve();

/**
 * Runs the actors of a system: one queue, first come first served, in slices of a few milliseconds. Between two slices
 * the event loop has its turn, so a backlog of any size starves neither timers nor sockets.
 *
 * Slices are about CPU time, so they are measured in real time whatever clock the system has.
 */
export class Dispatcher {
  private readonly ready = new Ring<Runnable>();
  private awake = false;
  private sliceStart = performance.now();
  private lastCheck = this.sliceStart;
  private checkEvery = 1;
  /** Messages that may be handled before the clock is looked at. */
  private untilCheck = 1;
  /** The event loop has had its turn since the slice began, so who wakes the dispatcher now begins a new one. */
  private turned = true;
  private readonly onTurn = (): void => {
    this.turned = true;
  };
  private readonly drain = (): void => this.runReady();
  private readonly nextSlice = (): void => {
    this.beginSlice();
    this.runReady();
  };

  /** The actor runs soon, after those that are ready already. An actor is in the queue at most once: it takes care of that. */
  enqueue(actor: Runnable): void {
    this.ready.push(actor);
    if (!this.awake) {
      this.awake = true;
      if (this.turned) this.beginSlice();
      void resolved.then(this.drain);
    }
  }

  /** Whether no actor is waiting for its turn. */
  get isIdle(): boolean {
    return !this.awake;
  }

  /** For an actor whose asynchronous handler has settled: it goes on at once if it is nobody else's turn. */
  resume(actor: Runnable): boolean {
    if (this.awake || this.untilCheck <= 0) return false;
    this.untilCheck -= actor.run(this.untilCheck);
    return true;
  }

  private runReady(): void {
    const { ready } = this;
    let goesOn = true;
    try {
      while (ready.size > 0) {
        if (this.untilCheck <= 0 && this.sliceIsOver()) return;
        this.untilCheck -= ready.shift().run(this.untilCheck);
      }
      goesOn = false;
    } finally {
      // Also if an actor lets an error through, which it must not: the others are to have their turn.
      if (goesOn) setImmediate(this.nextSlice);
      else this.awake = false;
    }
  }

  private beginSlice(): void {
    if (this.turned) {
      this.turned = false;
      setImmediate(this.onTurn);
    }
    this.sliceStart = this.lastCheck = performance.now();
    this.untilCheck = this.checkEvery;
  }

  private sliceIsOver(): boolean {
    const now = performance.now();
    const sinceCheck = now - this.lastCheck;
    this.checkEvery =
      sinceCheck > SLOW_CHECK_MS
        ? Math.max(1, this.checkEvery >> 2)
        : Math.min(MOST_MESSAGES_UNTIL_CHECK, this.checkEvery * 2);
    this.lastCheck = now;
    this.untilCheck = this.checkEvery;
    return now - this.sliceStart >= SLICE_MS;
  }
}
