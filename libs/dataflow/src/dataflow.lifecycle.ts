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

/** Ties the graph to the lifecycle of the application. */
@Injectable()
export class DataflowLifecycle implements OnModuleInit, OnModuleDestroy {
  /** Nest calls the boot hooks of a microservice twice if `init()` is called explicitly. */
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

  /** Creates the ports before anything runs, so that an invalid node keeps the whole graph from starting. */
  async onModuleInit(): Promise<void> {
    if (this.#hasExplored) return;
    this.#hasExplored = true;
    const { dataflow, options } = this;
    // A test may have replaced the provider with a `Dataflow` that creates its own nodes.
    if (dataflow instanceof ApplicationDataflow) {
      dataflow.plugIn(await this.explorer.findAll(dataflow.graph.nodes.filter(options.isHere)));
    }
  }

  /** Stops the graph if the shutdown task did not run because its phase was disabled, skipped or cut short. */
  async onModuleDestroy(): Promise<void> {
    if (!this.#tasks.hasBegun) await this.#tasks.finish();
  }

  /** Whether the graph has not started and never will, because shutdown has begun. */
  get isRefusing(): boolean {
    return this.#shutdown.reason !== undefined && this.dataflow.state === 'ready';
  }

  /** Stops the graph for a transport that closes before shutdown begins. The shutdown reports a failure of the stop. */
  async stopQuietly(): Promise<void> {
    await this.#tasks.stop().catch(() => undefined);
  }

  #start(): void {
    // A signal arrived while the application was booting.
    if (this.#shutdown.reason) return this.#refuse();
    const { dataflow } = this;
    if (dataflow instanceof ApplicationDataflow) dataflow.applicationIsUp();
    // `#ended` and `#failed` handle the result of every run, including a run that the application starts itself.
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
    // A shutdown that is already running reads the result of the graph itself.
    if (this.#shutdown.reason || exit === 'never' || (exit === 'failure' && reason.exitCode === 0)) return;
    void this.#shutdown.run(reason);
  }
}

/** Returns the stack of the error that a reaction threw, which is more useful than the stack of the wrapper. */
function explain(error: unknown): string {
  if (!(error instanceof DataflowError)) return stackOf(error);
  return error.cause === undefined ? error.message : `${error.message}\n${stackOf(error.cause)}`;
}
