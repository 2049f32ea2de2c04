import { EventEmitter } from 'node:events';
import { fileURLToPath } from 'node:url';
import { RecordingLogger } from '@roost/kernel/testing';
import type { ProcessLike } from '@roost/shutdown/core';
import { ManualClock } from '@roost/time/testing';
import { BOOT_TIMEOUT_MS, FakeChildren, RESTART } from './child-slots.fixture.js';
import { Fleet } from './fleet.js';
import type { FleetOptions } from './fleet-options.js';

/** Any existing file works. */
export const FILE = fileURLToPath(import.meta.url);
export const TIMEOUT_MS = 10_000;

/** A primary with two fake children, in a fake process. */
export const startFleet = async (
  options: Partial<FleetOptions> = {},
  { process = new FakeProcess(), terminal = { isThere: false } } = {},
) => {
  const clock = new ManualClock();
  const logger = new RecordingLogger();
  const children = new FakeChildren();
  const machine = { process, hasTerminal: () => terminal.isThere, startChild: () => children.start };
  const fleet = await Fleet.start(
    {
      processes: [{ name: 'jobs', file: FILE, count: 2 }],
      ...{ clock, logger, restart: RESTART, timeoutMs: TIMEOUT_MS, bootTimeoutMs: BOOT_TIMEOUT_MS },
      ...options,
    },
    machine,
  );
  const settle = () => clock.advanceAsync(0);
  return { clock, logger, children, process, fleet, settle };
};

/** The same, with all children up. */
export const bootFleet = async (...args: Parameters<typeof startFleet>) => {
  const set = await startFleet(...args);
  for (const child of set.children.all) child.ready();
  await set.settle();
  set.logger.lines.length = 0;
  return set;
};

/** A process that records its exit instead of exiting. */
export class FakeProcess extends EventEmitter implements ProcessLike {
  readonly pid = 4711;
  exitCode: number | undefined;
  readonly stdout = new FakeStream();
  readonly stderr = new FakeStream();
  readonly exits: (number | undefined)[] = [];

  kill(_pid: number, signal: string): void {
    this.emit(signal, signal);
  }

  exit(code?: number): void {
    this.exits.push(code);
    this.emit('exit', code);
  }
}

/** Accepts all data immediately. */
class FakeStream extends EventEmitter {
  readonly writableLength = 0;
  readonly destroyed = false;

  write(_chunk: string, callback: () => void): void {
    callback();
  }
}
