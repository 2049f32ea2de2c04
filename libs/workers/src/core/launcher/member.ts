import type { Clock, Timer } from '@roost/time';
import type { StopWord } from '../child/protocol.js';
import { type Child, type ChildEnd, type ChildListeners, describeEnd, isClean, notStarted } from './child.js';

/** What a child gets on top of its `maxWaitMs` to say what was stuck, and to exit. */
const KILL_MARGIN_MS = 1_000;
/** What a terminal or a process manager sends to everybody at once. */
const GROUP_SIGNALS: readonly string[] = ['SIGTERM', 'SIGINT', 'SIGHUP'];

export type MemberState = 'starting' | 'running' | 'stopping' | 'ended';

export interface MemberOptions {
  readonly clock: Clock;
  readonly maxWaitMs: number;
  readonly bootTimeoutMs: number;
}

/** One process or thread from its start to its end. */
export class Member {
  state: MemberState = 'starting';
  /** True when it is up; false when it has ended before that. One that is told to stop does not come up any more. */
  readonly whenUp: Promise<boolean>;
  /** The same, but false too when it is not up after `bootTimeoutMs`. */
  readonly whenUpInTime: Promise<boolean>;
  readonly whenEnded: Promise<ChildEnd>;
  readonly startedAt: number;
  readonly child: Child;
  #wasUp = false;
  #stoppedAt: number | undefined;
  #killedAt: number | undefined;
  #killTimer: Timer | undefined;

  constructor(
    readonly name: string,
    private readonly options: MemberOptions,
    start: (listeners: ChildListeners) => Child,
  ) {
    const { clock, bootTimeoutMs } = options;
    this.startedAt = clock.monotonic();
    let up!: (isUp: boolean) => void;
    let upInTime!: (isUp: boolean) => void;
    let ended!: (end: ChildEnd) => void;
    this.whenUp = new Promise((resolve) => (up = resolve));
    this.whenUpInTime = new Promise((resolve) => (upInTime = resolve));
    this.whenEnded = new Promise((resolve) => (ended = resolve));
    const bootTimer = clock.setTimer(bootTimeoutMs, () => upInTime(false));
    const settleUp = (isUp: boolean): void => {
      bootTimer.cancel();
      up(isUp);
      upInTime(isUp);
    };
    const listeners: ChildListeners = {
      ready: () => {
        this.#wasUp = true;
        if (this.state !== 'starting') return;
        this.state = 'running';
        settleUp(true);
      },
      ended: (end) => {
        this.state = 'ended';
        this.#killTimer?.cancel();
        settleUp(false);
        ended(end);
      },
    };
    try {
      this.child = start(listeners);
    } catch (error) {
      this.child = notStarted(error, listeners);
    }
  }

  get title(): string {
    return `${this.name} (${this.child.title})`;
  }

  get ageMs(): number {
    return this.options.clock.monotonic() - this.startedAt;
  }

  /** Tells it to shut down; if it takes too long it is killed. Telling it again does nothing. */
  stop(why: StopWord): void {
    if (this.state === 'stopping' || this.state === 'ended') return;
    this.state = 'stopping';
    this.#stoppedAt = this.options.clock.monotonic();
    this.#killTimer = this.options.clock.setTimer(this.options.maxWaitMs + KILL_MARGIN_MS, () => this.kill());
    this.child.stop(why);
  }

  kill(): void {
    if (this.state === 'ended' || this.#killedAt !== undefined) return;
    this.#killTimer?.cancel();
    this.#killedAt = this.options.clock.monotonic();
    this.state = 'stopping';
    this.child.kill();
  }

  /** What is to be said about an end that should have been a clean one. */
  problemWith(end: ChildEnd): string | undefined {
    if (this.#killedAt !== undefined) {
      // One that was given up before it was up had nothing in hand.
      if (this.#stoppedAt === undefined) return undefined;
      const afterMs = Math.round(this.#killedAt - this.#stoppedAt);
      return `${this.title} had to be killed ${afterMs} ms after it was told to stop`;
    }
    // A signal to the whole group may have come before it could listen. It had nothing in hand then.
    const endedUnheard = !this.#wasUp && end.signal !== null && GROUP_SIGNALS.includes(end.signal);
    return isClean(end) || endedUnheard ? undefined : `${this.title} ended with ${describeEnd(end)}`;
  }
}
