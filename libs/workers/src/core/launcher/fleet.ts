import { isatty } from 'node:tty';
import {
  CoordinatedShutdown,
  Phase,
  type ProcessLike,
  ProcessTerminateReason,
  ShutdownReason,
} from '@roost/shutdown/core';
import { formatDuration, sleep } from '@roost/time';
import { ChildrenLostError } from '../errors/children-lost.error.js';
import { type FleetOptions, type ResolvedFleetOptions, resolveFleetOptions } from './options.js';
import { startProcess } from './process-child.js';
import type { SlotHost } from './slot.js';
import { Slots } from './slots.js';
import type { FleetStatus } from './status.js';
import { StatusSocket } from './status-socket.js';
import { startThread } from './thread-child.js';

/** What is kept of the overall time to kill who is left and to say so, but not more than a quarter. */
const KILL_MARGIN_MS = 500;

/** What a fleet needs of the machine it runs on, so that a test can pass another one. @internal */
export interface Machine {
  readonly process: ProcessLike;
  /** Whether there is a terminal behind the standard input. */
  hasTerminal(): boolean;
  startChild(options: ResolvedFleetOptions): SlotHost['start'];
}

const thisMachine: Machine = {
  process,
  hasTerminal: () => isatty(0),
  startChild: (options) => (spec, instance, listeners) =>
    spec.kind === 'thread'
      ? startThread(spec, instance, listeners, options)
      : startProcess(spec, instance, listeners, options),
};

/** Every child has done its work. @publicApi */
export class FleetDoneReason extends ShutdownReason {}

/** A child has failed too often in a row. @publicApi */
export class CrashLoopReason extends ShutdownReason {
  constructor(detail: string) {
    super('crash-loop', detail);
  }
}

/**
 * The primary process of many: starts the children, keeps them there, and stops them. Signals are for the primary alone.
 *
 * @publicApi
 */
export class Fleet {
  /** Of the primary: tasks that are added here run beside the stop of the children. */
  readonly shutdown: CoordinatedShutdown;
  /** Resolves when every child has been up once. */
  readonly whenUp: Promise<void>;
  readonly #slots: Slots;
  readonly #startedAt: number;
  readonly #hadTerminal: boolean;
  #socket: StatusSocket | undefined;
  #rolling: Promise<void> | undefined;
  #rollAgain = false;
  #isUp = false;

  private constructor(
    private readonly options: ResolvedFleetOptions,
    private readonly machine: Machine,
  ) {
    const { clock, logger, timeoutMs } = options;
    this.#startedAt = clock.monotonic();
    this.#hadTerminal = machine.hasTerminal();
    const phases = { [Phase.ServiceRequestsDone]: { timeoutMs } };
    const exit = { process: true, reasons: { 'crash-loop': 1 } };
    this.shutdown = new CoordinatedShutdown({ clock, logger, timeoutMs, phases, exit }, machine.process);
    let up!: () => void;
    this.whenUp = new Promise((resolve) => (up = resolve));
    this.#slots = new Slots(options, {
      up: () => {
        this.#isUp = true;
        logger.log(`all children are up after ${formatDuration(clock.monotonic() - this.#startedAt)}`);
        up();
      },
      start: machine.startChild(options),
      failed: (why) => {
        logger.error(`${why}\nGiving up: the other children are stopped.`);
        void this.shutdown.run(new CrashLoopReason(why.split(':\n')[0]!));
      },
      empty: () => void this.shutdown.run(new FleetDoneReason()),
    });
  }

  /**
   * Starts all children.
   *
   * @throws InvalidWorkerOptionError, DuplicateChildError, NothingToLaunchError, StatusSocketError
   */
  static async start(options: FleetOptions, machine = thisMachine): Promise<Fleet> {
    const fleet = new Fleet(resolveFleetOptions(options), machine);
    await fleet.#start();
    return fleet;
  }

  /** Processes and threads that are there, in any state. */
  get alive(): number {
    return this.#slots.alive.size;
  }

  /** Asks every child what it has in hand; one that does not answer is not waited for. */
  async describe(): Promise<FleetStatus> {
    const children = await this.#slots.describe();
    const { clock } = this.options;
    return {
      pid: this.machine.process.pid,
      state: this.#state,
      uptimeMs: clock.monotonic() - this.#startedAt,
      alive: this.alive,
      children,
    };
  }

  /**
   * Rolling restart: one child after the other gets a successor, and stops when that is up. Given up when a successor does
   * not come up; the children that are left stay. Calling it while one is under way has another follow; once the shutdown
   * has begun it does nothing.
   */
  restart(): Promise<void> {
    if (this.shutdown.reason) return Promise.resolve();
    this.#rollAgain = true;
    this.#rolling ??= this.#roll().finally(() => (this.#rolling = undefined));
    return this.#rolling;
  }

  /** As a signal would: stops the children, then exits. */
  stop(reason?: ShutdownReason): Promise<unknown> {
    return this.shutdown.run(reason);
  }

  get #state(): FleetStatus['state'] {
    if (this.shutdown.state !== 'running') return this.alive > 0 ? 'stopping' : 'stopped';
    if (this.#rolling) return 'rolling';
    return this.#isUp ? 'running' : 'starting';
  }

  async #start(): Promise<void> {
    const { statusSocket, logger } = this.options;
    if (statusSocket !== undefined) this.#socket = await StatusSocket.open(statusSocket, () => this.describe());
    this.shutdown.addTask(Phase.ServiceRequestsDone, 'stop-children', (_reason, ctx) => {
      ctx.progress(() => this.#slots.describeLeft());
      const leftMs = ctx.deadline.left();
      return this.#stopChildren(Math.max(leftMs * 0.75, leftMs - KILL_MARGIN_MS));
    });
    // Before there are children: they must not outlive a second Ctrl+C.
    this.shutdown.installProcessHooks();
    const { process } = this.machine;
    // For good: when nobody listens, SIGHUP kills, and the children would be left alone in the middle of their shutdown.
    process.on('SIGHUP', this.#onHangUp);
    // Who reads what we print may go away: no reason to leave the children alone.
    for (const stream of [process.stdout, process.stderr]) stream.on?.('error', () => undefined);
    const count = this.#slots.all.length;
    logger.log(`pid ${process.pid}: starting ${count} ${count === 1 ? 'child' : 'children'}: ${this.#describeSpecs()}`);
    if (!this.shutdown.reason) this.#slots.start();
  }

  #describeSpecs(): string {
    return this.options.specs.map(({ name, count }) => (count === 1 ? name : `${count} x ${name}`)).join(', ');
  }

  async #stopChildren(limitMs: number): Promise<void> {
    const { clock } = this.options;
    const done = new AbortController();
    void sleep(limitMs, { clock, signal: done.signal }).then(
      () => this.#slots.kill(),
      () => undefined,
    );
    const problems = await this.#slots.stop();
    done.abort();
    this.#socket?.close();
    if (problems.length > 0) throw new ChildrenLostError(problems);
  }

  async #roll(): Promise<void> {
    const { logger, clock } = this.options;
    while (this.#rollAgain) {
      this.#rollAgain = false;
      const startedAt = clock.monotonic();
      logger.log(`rolling restart of ${this.#describeSpecs()}, one at a time`);
      const problem = await this.#slots.roll();
      if (this.shutdown.reason) return;
      const took = formatDuration(clock.monotonic() - startedAt);
      if (problem) logger.error(`rolling restart given up after ${took}: ${problem}\nThe children that are left stay.`);
      else logger.log(`rolling restart completed in ${took}`);
    }
  }

  /** SIGHUP asks for a rolling restart; but a terminal that is closed sends it too. */
  readonly #onHangUp = (): void => {
    if (this.#hadTerminal && !this.machine.hasTerminal()) void this.shutdown.run(new ProcessTerminateReason('SIGHUP'));
    else void this.restart();
  };
}
