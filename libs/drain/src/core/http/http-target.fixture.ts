import type { Server } from 'node:http';
import { ManualClock } from '@roost/time/testing';
import { Exemptions } from './exemptions.js';
import { Meter } from '../meter.js';
import { type DrainOptions, resolveDrainOptions } from '../options.js';
import { HttpTarget } from './http-target.js';
import type { AnyHttpServer } from './server.js';

export interface TargetSetup<T extends AnyHttpServer = Server> {
  readonly server: T;
  readonly meter: Meter;
  readonly target: HttpTarget;
  readonly clock: ManualClock;
}

/** A target without a drain, on a manual clock. */
export function setupTarget<T extends AnyHttpServer>(server: T, options: DrainOptions = {}): TargetSetup<T> {
  const clock = new ManualClock();
  const meter = new Meter();
  const resolved = resolveDrainOptions({ clock, ...options }, {});
  return { server, meter, clock, target: new HttpTarget(server, resolved, new Exemptions(resolved.exempt), meter) };
}

/** Runs the timers of the clock one by one until the promise settles. */
export async function runOut<T>(clock: ManualClock, promise: Promise<T>): Promise<T> {
  let settled = false;
  const done = () => (settled = true);
  promise.then(done, done);
  const end = performance.now() + 20_000;
  while (!settled) {
    if (performance.now() > end) throw new Error('the promise does not settle');
    await clock.runNextAsync();
  }
  return promise;
}
