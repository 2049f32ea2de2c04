import { isatty } from 'node:tty';
import { deferred } from '@roost/kernel';
import {
  CoordinatedShutdown,
  Phase,
  type ProcessLike,
  ProcessTerminateReason,
  ShutdownReason,
} from '@roost/shutdown/core';
import { formatDuration, sleep } from '@roost/time';
import { ChildrenLostError } from '../errors/children-lost.error.js';
import type { StartChild } from './child-slot.js';
import { ChildSlots } from './child-slots.js';
import { type FleetOptions, type ResolvedFleetOptions, resolveFleetOptions } from './fleet-options.js';
import type { FleetStatus } from './fleet-status.js';
import { ProcessChild } from './process-child.js';
import { StatusSocket } from './status-socket.js';
import { ThreadChild } from './thread-child.js';

/** Time in ms reserved at the end of the shutdown to kill and name children, up to a quarter of the shutdown. */
const KILL_MARGIN_MS = 500;

/** The parts of the operating system that a fleet uses. Tests replace them. */
export interface Machine {
  readonly process: ProcessLike;
  /** Whether standard input is a terminal. */
  hasTerminal(): boolean;
  startChild(options: ResolvedFleetOptions): StartChild;
}

const thisMachine: Machine = {
  process,
  hasTerminal: () => isatty(0),
  startChild: (options) => (spec, instance, listeners) =>
    spec.kind === 'thread'
      ? new ThreadChild(spec, instance, listeners, options)
      : new ProcessChild(spec, instance, listeners, options),
};

/** Shutdown reason when every child has finished its work. @publicApi */
export class FleetDoneReason extends ShutdownReason {}

/** Shutdown reason when a child has failed too often in a row. The exit code is 1. @publicApi */
export class CrashLoopReason extends ShutdownReason {
  override readonly exitCode = 1;

  constructor(detail: string) {
    super('crash-loop', detail);
  }
}

/**
 * The primary process of a fleet. It starts the children, replaces those that exit unexpectedly, and stops them. Only
 * the primary reacts to signals.
 *
 * @publicApi
 */
export class Fleet {
  /** Shutdown of the primary. Tasks added to `service-requests-done` run while the children stop. */
  readonly shutdown: CoordinatedShutdown;
  readonly #options: ResolvedFleetOptions;
  readonly #slots: ChildSlots;
  readonly #up = deferred();
  readonly #startedAt: number;
  readonly #hadTerminal: boolean;
  #socket: StatusSocket | undefined;
  #rolling: Promise<void> | undefined;
  #rollAgain = false;
  #wasUp = false;

  private constructor(
    options: FleetOptions,
    private readonly machine: Machine,
  ) {
    this.#options = resolveFleetOptions(options);
    const { clock, logger, timeoutMs } = this.#options;
    this.#startedAt = clock.monotonic();
    this.#hadTerminal = machine.hasTerminal();
    const phases = { [Phase.ServiceRequestsDone]: { timeoutMs } };
    const exit = { process: true };
    this.shutdown = new CoordinatedShutdown({ clock, logger, timeoutMs, phases, exit }, machine.process);
    this.#slots = new ChildSlots(this.#options, machine.startChild(this.#options), {
      onUp: () => this.#onUp(),
      onFailed: (why) => this.#onFailed(why),
      onDone: () => void this.shutdown.run(new FleetDoneReason()),
    });
  }

  /**
   * Starts all children.
   *
   * @throws InvalidWorkerOptionError, DuplicateChildError, NothingToLaunchError, StatusSocketError
   */
  static async start(options: FleetOptions, machine = thisMachine): Promise<Fleet> {
    const fleet = new Fleet(options, machine);
    await fleet.#start();
    return fleet;
  }

  /** Resolves when every child has been up once. */
  get whenUp(): Promise<void> {
    return this.#up.promise;
  }

  /** Number of living processes and threads, in any state. */
  get alive(): number {
    return this.#slots.alive.size;
  }

  /** Asks every child for its in-flight work. A child that does not answer in time is reported without it. */
  async describe(): Promise<FleetStatus> {
    const children = await this.#slots.describe();
    const { clock } = this.#options;
    return {
      pid: this.machine.process.pid,
      state: this.#state,
      uptimeMs: clock.monotonic() - this.#startedAt,
      alive: this.alive,
      children,
    };
  }

  /**
   * Performs a rolling restart: starts a successor for one child at a time and stops the child when its successor is
   * up. If a successor does not come up, the restart is aborted and the remaining children keep running the old
   * version. A call during a rolling restart queues one more. Does nothing after a shutdown has begun.
   *
   * @example
   * ```ts
   * import { launch } from '@roost/workers';
   *
   * const fleet = await launch({ app: './web.js', http: 4 });
   * process.on('SIGUSR2', () => void fleet.restart());
   * ```
   */
  restart(): Promise<void> {
    if (this.shutdown.reason) return Promise.resolve();
    this.#rollAgain = true;
    this.#rolling ??= this.#roll().finally(() => (this.#rolling = undefined));
    return this.#rolling;
  }

  /** Stops the children and then exits, as a signal would. */
  stop(reason?: ShutdownReason): Promise<unknown> {
    return this.shutdown.run(reason);
  }

  get #state(): FleetStatus['state'] {
    if (this.shutdown.state !== 'running') return this.alive > 0 ? 'stopping' : 'stopped';
    if (this.#rolling) return 'rolling';
    return this.#wasUp ? 'running' : 'starting';
  }

  async #start(): Promise<void> {
    const { statusSocket, logger } = this.#options;
    if (statusSocket !== undefined) this.#socket = await StatusSocket.open(statusSocket, () => this.describe());
    this.shutdown.addTask(Phase.ServiceRequestsDone, 'stop-children', (_reason, ctx) => {
      ctx.progress(() => this.#slots.describeAlive());
      const leftMs = ctx.deadline.left();
      return this.#stopChildren(Math.max(leftMs * 0.75, leftMs - KILL_MARGIN_MS));
    });
    // Installed before the first child starts, so that no child outlives a second Ctrl+C.
    this.shutdown.installProcessHooks();
    const { process } = this.machine;
    // Never removed: without a listener SIGHUP kills the primary, and children would lose it during their shutdown.
    process.on('SIGHUP', this.#onHangUp);
    // The reader may close the output. That must not end the primary.
    for (const stream of [process.stdout, process.stderr]) stream.on?.('error', () => undefined);
    const count = this.#slots.all.length;
    logger.log(`pid ${process.pid}: starting ${count} ${count === 1 ? 'child' : 'children'}: ${this.#describeSpecs()}`);
    if (!this.shutdown.reason) this.#slots.start();
  }

  #describeSpecs(): string {
    return this.#options.specs.map(({ name, count }) => (count === 1 ? name : `${count} x ${name}`)).join(', ');
  }

  #onUp(): void {
    const { clock, logger } = this.#options;
    this.#wasUp = true;
    logger.log(`all children are up after ${formatDuration(clock.monotonic() - this.#startedAt)}`);
    this.#up.resolve();
  }

  #onFailed(why: string): void {
    this.#options.logger.error(`${why}\nGiving up and stopping the other children.`);
    void this.shutdown.run(new CrashLoopReason(why.split(':\n')[0]!));
  }

  async #stopChildren(limitMs: number): Promise<void> {
    const { clock } = this.#options;
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
    const { logger, clock } = this.#options;
    while (this.#rollAgain) {
      this.#rollAgain = false;
      const startedAt = clock.monotonic();
      logger.log(`rolling restart of ${this.#describeSpecs()} started, one child at a time`);
      const problem = await this.#slots.roll();
      if (this.shutdown.reason) return;
      const took = formatDuration(clock.monotonic() - startedAt);
      if (problem)
        logger.error(
          `rolling restart aborted after ${took}: ${problem}\nThe remaining children keep running the old version.`,
        );
      else logger.log(`rolling restart completed in ${took}`);
    }
  }

  /** SIGHUP requests a rolling restart, unless it came from a terminal that was closed. */
  readonly #onHangUp = (): void => {
    if (this.#hadTerminal && !this.machine.hasTerminal()) void this.shutdown.run(new ProcessTerminateReason('SIGHUP'));
    else void this.restart();
  };
}
