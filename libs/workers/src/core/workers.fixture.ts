import { RecordingLogger } from '@roost/kernel/testing';
import { ManualClock } from '@roost/time/testing';
import type { WorkersOptions } from './options.js';
import { restartBackoff } from './restart-policy.js';
import type { RunToken } from './run/run-token.js';
import type { WorkerDefinition } from './worker-definition.js';
import { Workers } from './workers.js';

/** Delays without jitter: 100, 200, 400 … ms. */
export const steadyBackoff = restartBackoff({ minMs: 100, maxMs: 10_000, jitter: 0 });

export interface Fixture {
  readonly clock: ManualClock;
  readonly logger: RecordingLogger;
  readonly workers: Workers;
  /** Adds a process and starts the workers. The token belongs to its last run. */
  run(handle: (run: RunToken) => unknown, definition?: Partial<WorkerDefinition>): { readonly token: RunToken };
  /** Lets all queued promise callbacks run. No time passes. */
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

/** Returns the state of a promise without waiting for it. */
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
