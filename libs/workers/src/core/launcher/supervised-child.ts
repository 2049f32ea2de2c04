import { deferred } from '@roost/kernel';
import type { Clock, Timer } from '@roost/time';
import type { StopKind } from '../child/protocol.js';
import {
  type ChildEnd,
  type ChildHandle,
  type ChildListeners,
  describeEnd,
  isClean,
  notStarted,
} from './child-handle.js';

/** Time in ms beyond `maxWaitMs` for a child to report stuck work and exit. */
const KILL_MARGIN_MS = 1_000;
/** Signals that a terminal or process manager sends to the whole process group. */
const GROUP_SIGNALS: readonly string[] = ['SIGTERM', 'SIGINT', 'SIGHUP'];

export interface SupervisedChildOptions {
  readonly clock: Clock;
  readonly maxWaitMs: number;
  readonly bootTimeoutMs: number;
}

/** One process or thread from start to end. A child that does not stop in time is killed. */
export class SupervisedChild {
  state: 'starting' | 'running' | 'stopping' | 'stopped' = 'starting';
  readonly startedAt: number;
  readonly handle: ChildHandle;
  readonly #bootTimer: Timer;
  readonly #up = deferred<boolean>();
  readonly #upInTime = deferred<boolean>();
  readonly #ended = deferred<ChildEnd>();
  #wasUp = false;
  #stoppedAt: number | undefined;
  #killedAt: number | undefined;
  #killTimer: Timer | undefined;

  constructor(
    readonly name: string,
    private readonly options: SupervisedChildOptions,
    start: (listeners: ChildListeners) => ChildHandle,
  ) {
    const { clock, bootTimeoutMs } = options;
    this.startedAt = clock.monotonic();
    this.#bootTimer = clock.setTimer(bootTimeoutMs, () => this.#upInTime.resolve(false));
    const listeners: ChildListeners = { onReady: () => this.#onReady(), onEnded: (end) => this.#onEnded(end) };
    try {
      this.handle = start(listeners);
    } catch (error) {
      this.handle = notStarted(error, listeners);
    }
  }

  /** Resolves to true when the child is up, and to false when it ends first. A stopping child never becomes up. */
  get whenUp(): Promise<boolean> {
    return this.#up.promise;
  }

  /** Like `whenUp`, but also resolves to false when the child is not up after `bootTimeoutMs`. */
  get whenUpInTime(): Promise<boolean> {
    return this.#upInTime.promise;
  }

  get whenEnded(): Promise<ChildEnd> {
    return this.#ended.promise;
  }

  get title(): string {
    return `${this.name} (${this.handle.title})`;
  }

  get ageMs(): number {
    return this.options.clock.monotonic() - this.startedAt;
  }

  /** Requests a shutdown, and kills the child if that takes too long. A second call does nothing. */
  stop(kind: StopKind): void {
    if (this.state === 'stopping' || this.state === 'stopped') return;
    this.state = 'stopping';
    this.#stoppedAt = this.options.clock.monotonic();
    this.#killTimer = this.options.clock.setTimer(this.options.maxWaitMs + KILL_MARGIN_MS, () => this.kill());
    this.handle.stop(kind);
  }

  kill(): void {
    if (this.state === 'stopped' || this.#killedAt !== undefined) return;
    this.#killTimer?.cancel();
    this.#killedAt = this.options.clock.monotonic();
    this.state = 'stopping';
    this.handle.kill();
  }

  /** Describes the problem if a requested end was not clean. */
  problemWith(end: ChildEnd): string | undefined {
    if (this.#killedAt !== undefined) {
      // A child that was killed before it was up had no work in flight.
      if (this.#stoppedAt === undefined) return undefined;
      const afterMs = Math.round(this.#killedAt - this.#stoppedAt);
      return `${this.title} had to be killed ${afterMs} ms after the stop request`;
    }
    // A signal to the whole group may arrive before the child can handle it. The child has no work in flight then.
    const endedUnheard = !this.#wasUp && end.signal !== null && GROUP_SIGNALS.includes(end.signal);
    return isClean(end) || endedUnheard ? undefined : `${this.title} ended with ${describeEnd(end)}`;
  }

  #onReady(): void {
    this.#wasUp = true;
    if (this.state !== 'starting') return;
    this.state = 'running';
    this.#settleUp(true);
  }

  #onEnded(end: ChildEnd): void {
    this.state = 'stopped';
    this.#killTimer?.cancel();
    this.#settleUp(false);
    this.#ended.resolve(end);
  }

  #settleUp(isUp: boolean): void {
    this.#bootTimer.cancel();
    this.#up.resolve(isUp);
    this.#upInTime.resolve(isUp);
  }
}
