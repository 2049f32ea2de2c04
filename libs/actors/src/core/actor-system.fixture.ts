// Not the global, which a test runner's fake timers may have replaced.
import { setImmediate } from 'node:timers';
import { RecordingLogger } from '@roost/kernel/testing';
import { ManualClock } from '@roost/time/testing';
import { ActorSystem } from './actor-system.js';
import { Behavior } from './behavior.js';
import type { DeadLetter } from './observe/dead-letters.js';
import type { ActorSystemOptions } from './options.js';
import type { Signal } from './signals.js';

/** Keeps lines as `level: path: message`. */
export class PathRecordingLogger extends RecordingLogger {
  override debug(message: string, path?: string): void {
    super.debug(`${path}: ${message}`);
  }

  override log(message: string, path?: string): void {
    super.log(`${path}: ${message}`);
  }

  override warn(message: string, path?: string): void {
    super.warn(`${path}: ${message}`);
  }

  override error(message: string, path?: string): void {
    super.error(`${path}: ${message}`);
  }
}

export interface TestSystem {
  readonly system: ActorSystem;
  readonly clock: ManualClock;
  readonly logger: PathRecordingLogger;
  /** All dead letters so far, not only those that the system keeps. */
  readonly deadLetters: DeadLetter[];
}

/** A system on a clock that stands still until the test moves it. */
export function testSystem(options: ActorSystemOptions = {}): TestSystem {
  const clock = new ManualClock();
  const logger = new PathRecordingLogger();
  const system = new ActorSystem({ name: 'test', clock, logger, ...options });
  const deadLetters: DeadLetter[] = [];
  system.deadLetters$.subscribe((letter) => deadLetters.push(letter));
  return { system, clock, logger, deadLetters };
}

/** Lets everything that waits for no timer happen: microtasks, and the slices of the dispatcher. */
export async function settle(turns = 5): Promise<void> {
  for (let turn = 0; turn < turns; turn++) await new Promise<void>((resolve) => setImmediate(resolve));
}

/** Moves the clock, and after each instant with a timer lets everything happen that comes of it. */
export async function advance({ clock }: Pick<TestSystem, 'clock'>, ms: number): Promise<void> {
  const end = clock.monotonic() + ms;
  await settle();
  for (let next = clock.nextTimerInMs; next !== undefined; next = clock.nextTimerInMs) {
    if (clock.monotonic() + next > end) break;
    clock.advance(next);
    await settle();
  }
  clock.advance(end - clock.monotonic());
  await settle();
}

/** Settles until `done()`; for what takes more turns than can be said beforehand. */
export async function settleUntil(done: () => boolean, mostTurns = 100_000): Promise<void> {
  for (let turn = 0; turn < mostTurns; turn++) {
    if (done()) return;
    await settle(1);
  }
  throw new Error(`still not done after ${mostTurns} turns of the event loop`);
}

/** Puts every message into `messages` and every signal into `signals`. */
export function recorder<M = unknown>(messages: M[] = [], signals: Signal[] = []): Behavior<M> {
  return Behavior.receive<M>((_ctx, message) => void messages.push(message)).onSignal(
    (_ctx, signal) => void signals.push(signal),
  );
}
