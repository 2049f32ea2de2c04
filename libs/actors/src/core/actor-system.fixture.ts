// Imported, because fake timers of a test runner may have replaced the global.
import { setImmediate } from 'node:timers';
import { RecordingLogger } from '@roost/kernel/testing';
import { ManualClock } from '@roost/time/testing';
import { ActorSystem } from './actor-system.js';
import { Behavior } from './behavior.js';
import type { DeadLetter } from './observe/dead-letters.js';
import type { ActorSystemOptions } from './options.js';
import type { Signal } from './signals.js';

/** Records lines as `level: path: message`. */
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
  /** All dead letters so far, not only the recent ones that the system keeps. */
  readonly deadLetters: DeadLetter[];
}

/** Creates a system whose clock advances only when the test moves it. */
export function testSystem(options: ActorSystemOptions = {}): TestSystem {
  const clock = new ManualClock();
  const logger = new PathRecordingLogger();
  const system = new ActorSystem({ name: 'test', clock, logger, ...options });
  const deadLetters: DeadLetter[] = [];
  system.deadLetters$.subscribe((letter) => deadLetters.push(letter));
  return { system, clock, logger, deadLetters };
}

/** Runs everything that does not wait for a timer: microtasks and dispatcher slices. */
export async function settle(turns = 5): Promise<void> {
  for (let turn = 0; turn < turns; turn++) await new Promise<void>((resolve) => setImmediate(resolve));
}

/** Moves the clock from timer to timer, and settles after each. */
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

/** Settles until `done()`, when the number of turns is not known in advance. */
export async function settleUntil(done: () => boolean, mostTurns = 100_000): Promise<void> {
  for (let turn = 0; turn < mostTurns; turn++) {
    if (done()) return;
    await settle(1);
  }
  throw new Error(`still not done after ${mostTurns} turns of the event loop`);
}

/** Records messages in `messages` and signals in `signals`. */
export function recorder<M = unknown>(messages: M[] = [], signals: Signal[] = []): Behavior<M> {
  return Behavior.receive<M>((_ctx, message) => void messages.push(message)).onSignal(
    (_ctx, signal) => void signals.push(signal),
  );
}
