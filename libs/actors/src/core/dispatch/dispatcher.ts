// Imported, because fake timers of a test runner may have replaced the globals.
import { performance } from 'node:perf_hooks';
import { setImmediate } from 'node:timers';
import { Ring } from '../collections/ring.js';

/** Something that runs in turns, a few messages at a time. */
export interface Runnable {
  /** Handles at most `budget` messages and returns how many it handled. Queues itself again if more are waiting. */
  run(budget: number): number;
}

/** How long actors run before timers and I/O get a turn. */
const SLICE_MS = 3;
const MOST_MESSAGES_UNTIL_CHECK = 64;
/** If more time than this passes between two clock checks, the dispatcher checks more often. */
const SLOW_CHECK_MS = 1;

/** Its `then` wakes the dispatcher in a microtask, several times cheaper than `queueMicrotask`. */
const resolved = Promise.resolve();

/**
 * Runs the actors of a system from one FIFO queue, in slices of a few milliseconds. The event loop gets a turn between
 * slices, so that no backlog starves timers or sockets.
 *
 * A slice limits CPU time, so it is measured in real time, whatever clock the system uses.
 *
 * A drain runs in the async context of the call that woke the dispatcher, and so do the handlers in it.
 */
export class Dispatcher {
  private readonly ready = new Ring<Runnable>();
  private awake = false;
  private sliceStart = performance.now();
  private lastCheck = this.sliceStart;
  private checkEvery = 1;
  /** Messages to handle before the next clock check. */
  private untilCheck = 1;
  /** Whether the event loop has turned since the slice began. If so, the next wake-up begins a new slice. */
  private turned = true;
  private readonly onTurn = (): void => {
    this.turned = true;
  };
  private readonly drain = (): void => this.runReady();
  private readonly nextSlice = (): void => {
    this.beginSlice();
    this.runReady();
  };

  /** Queues an actor behind those already waiting. The actor makes sure that it is queued at most once. */
  enqueue(actor: Runnable): void {
    this.ready.push(actor);
    if (!this.awake) {
      this.awake = true;
      if (this.turned) this.beginSlice();
      void resolved.then(this.drain);
    }
  }

  /** Whether no actor is waiting for a turn. */
  get isIdle(): boolean {
    return !this.awake;
  }

  /**
   * Continues an actor whose asynchronous handler has settled, at once if no other actor is waiting. Returns false if
   * it has to queue.
   */
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
      // Even if an actor lets an error escape, which it must not, the other actors get their turns.
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
