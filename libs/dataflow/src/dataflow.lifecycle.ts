import { Inject, Injectable, type OnModuleDestroy, type OnModuleInit, Optional } from '@nestjs/common';
import { stackOf } from '@roost/kernel';
import { CoordinatedShutdown } from '@roost/shutdown';
import { ApplicationDataflow } from './application-dataflow.js';
import { Dataflow, DataflowError, type DataflowReport, formatTag } from './core/index.js';
import { type DataflowTasks, registerDataflowTasks } from './core/shutdown-tasks.js';
import { RESOLVED_DATAFLOW_OPTIONS } from './dataflow.constants.js';
import { DataflowEndedReason } from './dataflow-ended.reason.js';
import type { ResolvedDataflowModuleOptions } from './dataflow.options.js';
import { DataflowRefusedError } from './errors/dataflow-refused.error.js';
import { DataflowShutdownMissingError } from './errors/dataflow-shutdown-missing.error.js';
import { NodeExplorer } from './node.explorer.js';

/** Hangs the graph into the lifecycle of the application. */
@Injectable()
export class DataflowLifecycle implements OnModuleInit, OnModuleDestroy {
  /** Nest calls the boot hooks of a microservice twice when it is told to `init()`. */
  #hasExplored = false;
  readonly #shutdown: CoordinatedShutdown;
  readonly #tasks: DataflowTasks;

  constructor(
    private readonly dataflow: Dataflow,
    private readonly explorer: NodeExplorer,
    @Inject(RESOLVED_DATAFLOW_OPTIONS) private readonly options: ResolvedDataflowModuleOptions,
    @Optional() shutdown?: CoordinatedShutdown,
  ) {
    if (!shutdown) throw new DataflowShutdownMissingError();
    this.#shutdown = shutdown;
    this.#tasks = registerDataflowTasks(shutdown, dataflow, {
      declaredBy: 'DataflowModule',
      stopTimeoutMs: options.stopTimeoutMs,
      isPlaced: options.placement !== undefined,
    });
    shutdown.events$.subscribe(({ type }) => {
      if (type === 'host.booted') this.#start();
      if (type === 'shutdown.started') this.#refuse();
    });
    dataflow.ended.then(
      (report) => this.#ended(report),
      (error: unknown) => this.#failed(error),
    );
  }

  /** Nothing has been started by now: a mistake in one node keeps all from running. */
  async onModuleInit(): Promise<void> {
    if (this.#hasExplored) return;
    this.#hasExplored = true;
    const { dataflow, options } = this;
    // Otherwise a test has put its own in the place of ours, which makes its nodes by itself.
    if (dataflow instanceof ApplicationDataflow) {
      dataflow.plugIn(await this.explorer.findAll(dataflow.graph.nodes.filter(options.isHere)));
    }
  }

  /** When the task of the shutdown has not run: its phase was disabled, skipped or cut short. */
  async onModuleDestroy(): Promise<void> {
    if (!this.#tasks.hasBegun) await this.#tasks.finish();
  }

  /** Whether a graph that has not begun by now never does. */
  get isRefusing(): boolean {
    return this.#shutdown.reason !== undefined && this.dataflow.state === 'ready';
  }

  /** For a transport that is closed before the shutdown begins, which will be told how it went. */
  async stopQuietly(): Promise<void> {
    await this.#tasks.stop().catch(() => undefined);
  }

  #start(): void {
    // A signal came during the boot.
    if (this.#shutdown.reason) return this.#refuse();
    const { dataflow } = this;
    if (dataflow instanceof ApplicationDataflow) dataflow.applicationIsUp();
    // How it ends is told to `#ended` and `#failed`, whoever begins it.
    if (this.options.autoStart) dataflow.run().catch(() => undefined);
  }

  #refuse(): void {
    const { dataflow } = this;
    if (dataflow instanceof ApplicationDataflow) {
      dataflow.refuse(new DataflowRefusedError(String(this.#shutdown.reason)));
    }
  }

  #ended(report: DataflowReport): void {
    const { logger } = this.dataflow.options;
    const { status, stopTag, digest, error } = report;
    if (error) logger.error(explain(error));
    else if (!stopTag) logger.log('the graph was stopped before it started');
    else logger.log(`the graph ${status} at ${formatTag(stopTag)}, digest ${digest}`);
    this.#exit(DataflowEndedReason.of(report));
  }

  #failed(error: unknown): void {
    this.dataflow.options.logger.error(`the graph could not run: ${explain(error)}`);
    this.#exit(DataflowEndedReason.failed(error));
  }

  #exit(reason: DataflowEndedReason): void {
    const { exit } = this.options;
    // A shutdown that is under way looks at how the graph ends by itself.
    if (this.#shutdown.reason || exit === 'never' || (exit === 'failure' && reason.exitCode === 0)) return;
    void this.#shutdown.run(reason);
  }
}

/** What a reaction threw is of more use than where we have wrapped it. */
function explain(error: unknown): string {
  if (!(error instanceof DataflowError)) return stackOf(error);
  return error.cause === undefined ? error.message : `${error.message}\n${stackOf(error.cause)}`;
}
