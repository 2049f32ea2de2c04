import { ManualClock } from '@roost/time/testing';
import { CoordinatedShutdown } from './coordinated-shutdown.js';
import type { ShutdownEvent } from './events.js';
import type { ShutdownHost } from './host.js';
import type { CoordinatedShutdownOptions } from './options.js';
import { FakeProcess } from './process/fake-process.js';
import { RecordingLogger } from '@roost/kernel/testing';
import type { PhaseReport, ShutdownReport, TaskReport } from './report.js';
import type { ShutdownTaskContext, ShutdownTaskFunction } from './task.js';

export interface Fixture {
  clock: ManualClock;
  logger: RecordingLogger;
  proc: FakeProcess;
  shutdown: CoordinatedShutdown;
  events: ShutdownEvent[];
  /** Trace of `work` and `step` tasks, as `name@ms`. */
  trace: string[];
  /** Returns a task that records its start, takes `ms`, and then returns or throws. */
  work(name: string, ms: number, failure?: Error): ShutdownTaskFunction;
  /** Returns a task that records its start and completes at once. */
  step(name: string): ShutdownTaskFunction;
  /** Runs the shutdown on the manual clock until it has terminated. */
  finish(): Promise<ShutdownReport>;
}

export function setup(options: CoordinatedShutdownOptions & { clock?: ManualClock } = {}): Fixture {
  const { clock = new ManualClock({ now: 1_700_000_000_000 }) } = options;
  const logger = new RecordingLogger();
  const proc = new FakeProcess();
  const shutdown = new CoordinatedShutdown({ logger, ...options, clock }, proc);
  const events: ShutdownEvent[] = [];
  const trace: string[] = [];
  shutdown.events$.subscribe((event) => events.push(event));
  const note = (name: string) => trace.push(`${name}@${clock.monotonic()}`);
  const work = (name: string, ms: number, failure?: Error) => async () => {
    note(name);
    await delay(clock, ms);
    if (failure) throw failure;
  };
  const finish = async () => {
    void shutdown.run();
    return runToEnd(clock, shutdown);
  };
  return { clock, logger, proc, shutdown, events, trace, work, step: (name) => () => void note(name), finish };
}

export const delay = (clock: ManualClock, ms: number): Promise<void> =>
  new Promise((resolve) => void clock.setTimer(ms, resolve));

/** Runs timers one by one until the shutdown has terminated. */
export async function runToEnd(clock: ManualClock, shutdown: CoordinatedShutdown): Promise<ShutdownReport> {
  let report: ShutdownReport | undefined;
  void shutdown.terminated.then((value) => (report = value));
  await settle(clock);
  while (report === undefined) {
    if (!(await clock.runNextAsync())) throw new Error('the shutdown hangs: no timer is left');
  }
  return report;
}

/** Runs all queued promise continuations without moving time. */
export const settle = (clock: ManualClock): Promise<void> => clock.advanceAsync(0);

export const never = (): Promise<never> => new Promise(() => undefined);

export const phaseOf = (report: ShutdownReport, name: string): PhaseReport =>
  report.phases.find((phase) => phase.name === name)!;

export const taskOf = (report: ShutdownReport, name: string): TaskReport =>
  report.phases.flatMap((phase) => phase.tasks).find((task) => task.name === name)!;

/** `name:status` of every task in the report, in report order. */
export const taskStatuses = (report: ShutdownReport): string[] =>
  report.phases.flatMap((phase) => phase.tasks.map((task) => `${task.name}:${task.status}`));

/** Returns a task that stores its context and never settles. */
export const hanging = (): { task: ShutdownTaskFunction; context: () => ShutdownTaskContext } => {
  let kept: ShutdownTaskContext;
  return {
    task: (_reason, context) => {
      kept = context;
      return never();
    },
    context: () => kept,
  };
};

export class FakeHost implements ShutdownHost {
  readonly closedWith: string[] = [];
  booting: Promise<unknown> | undefined;
  booted?: boolean;
  waitingFor: string[] = [];
  ended: TaskReport[] = [];
  cutOff: TaskReport[] = [];

  constructor(private readonly onClose: () => Promise<void> = () => Promise.resolve()) {}

  whenBooted(): Promise<unknown> | undefined {
    return this.booting;
  }

  close(reason: unknown): Promise<void> {
    this.closedWith.push(String(reason));
    return this.onClose();
  }

  pending(): string[] {
    return this.waitingFor;
  }

  hooks(cutOff: boolean): TaskReport[] {
    return cutOff ? [...this.ended, ...this.cutOff] : this.ended;
  }
}

/** Gives Jest, which fails a test on an unhandled rejection, enough turns of the event loop to notice one. */
export async function failingOnUnhandled(body: () => Promise<unknown>): Promise<void> {
  await body();
  for (let turn = 0; turn < 2; turn++) await new Promise((resolve) => setImmediate(resolve));
}
