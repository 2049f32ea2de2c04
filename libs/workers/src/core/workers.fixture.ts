import { ManualClock } from '@roost/time/testing';
import type { ProcessDefinition } from './definition.js';
import type { WorkersLogger } from './logger.js';
import type { WorkersOptions } from './options.js';
import { exponentialBackoff } from './restart-policy.js';
import type { RunToken } from './run-token.js';
import { Workers } from './workers.js';

/** Keeps every line as `level: message`. */
export class RecordingLogger implements WorkersLogger {
  readonly lines: string[] = [];
  log = (message: string): void => void this.lines.push(`log: ${message}`);
  warn = (message: string): void => void this.lines.push(`warn: ${message}`);
  error = (message: string): void => void this.lines.push(`error: ${message}`);

  /** The lines of one level. */
  of(level: keyof WorkersLogger): string[] {
    return this.lines.filter((line) => line.startsWith(`${level}: `));
  }
}

export interface Deferred<T = void> {
  readonly promise: Promise<T>;
  resolve(value: T): void;
  reject(error: unknown): void;
}

/** A promise that a test settles by hand. */
export function deferred<T = void>(): Deferred<T> {
  let resolve!: (value: T) => void;
  let reject!: (error: unknown) => void;
  const promise = new Promise<T>((yes, no) => {
    resolve = yes;
    reject = no;
  });
  return { promise, resolve, reject };
}

/** Delays without chance: 100, 200, 400 … ms. */
export const steadyBackoff = exponentialBackoff({ minMs: 100, maxMs: 10_000, jitter: 0 });

export interface Fixture {
  readonly clock: ManualClock;
  readonly logger: RecordingLogger;
  readonly workers: Workers;
  /** Adds a process and starts everything. The token is that of its last run. */
  run(handle: (run: RunToken) => unknown, definition?: Partial<ProcessDefinition>): { readonly token: RunToken };
  /** Lets every queued promise continuation run; no time passes. */
  settle(): Promise<void>;
}

export function setup(options: WorkersOptions = {}): Fixture {
  const clock = new ManualClock();
  const logger = new RecordingLogger();
  const workers = new Workers({ clock, logger, restart: steadyBackoff, ...options });
  const run: Fixture['run'] = (handle, definition = {}) => {
    let token: RunToken;
    workers.add({
      name: 'worker',
      handle: (given) => {
        token = given;
        return handle(given);
      },
      ...definition,
    });
    workers.start();
    return {
      get token() {
        return token;
      },
    };
  };
  return { clock, logger, workers, run, settle: () => clock.advanceAsync(0) };
}

export const never = (): Promise<never> => new Promise(() => undefined);

/** How a promise stands, without waiting for it. */
export function outcomeOf(promise: Promise<unknown>): { readonly status: string; readonly value?: unknown } {
  const outcome: { status: string; value?: unknown } = { status: 'pending' };
  promise.then(
    (value) => Object.assign(outcome, { status: 'resolved', value }),
    (value: unknown) => Object.assign(outcome, { status: 'rejected', value }),
  );
  return outcome;
}

export const stateOf = (workers: Workers, name = 'worker') =>
  workers.describe().find((process) => process.name === name)?.state;
