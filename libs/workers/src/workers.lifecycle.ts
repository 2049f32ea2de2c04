import { Inject, Injectable, type OnModuleDestroy, type OnModuleInit, Optional } from '@nestjs/common';
import { CoordinatedShutdown } from '@roost/shutdown';
import { reportInFlight, reportReady, Workers } from './core/index.js';
import { makeRoom, registerWorkersTasks } from './core/shutdown-tasks.js';
import { WorkersShutdownMissingError } from './errors/workers-shutdown-missing.error.js';
import { ProcessExplorer } from './process.explorer.js';
import { IN_FLIGHT } from './workers.constants.js';

/** Hangs the background processes into the lifecycle of the application. */
@Injectable()
export class WorkersLifecycle implements OnModuleInit, OnModuleDestroy {
  /** Nest calls the boot hooks of a microservice twice when it is told to `init()`. */
  #hasExplored = false;
  readonly #shutdown: CoordinatedShutdown;

  constructor(
    private readonly workers: Workers,
    private readonly explorer: ProcessExplorer,
    @Optional() shutdown?: CoordinatedShutdown,
    @Optional() @Inject(IN_FLIGHT) private readonly requestsInFlight: () => number = () => 0,
  ) {
    if (!shutdown) throw new WorkersShutdownMissingError();
    this.#shutdown = shutdown;
    registerWorkersTasks(shutdown, workers, 'WorkersModule');
    shutdown.events$.subscribe(({ type }) => {
      if (type === 'host.booted') this.#start();
    });
  }

  /** Nothing has been started by now: a mistake in one process keeps all from running. */
  onModuleInit(): void {
    if (this.#hasExplored) return;
    this.#hasExplored = true;
    for (const definition of this.explorer.findAll()) this.workers.add(definition);
    const warning = makeRoom(this.#shutdown, this.workers);
    if (warning) this.workers.options.logger.warn(warning);
  }

  /** When the tasks of the shutdown have not run: their phases were disabled, skipped or cut short. */
  async onModuleDestroy(): Promise<void> {
    if (this.workers.state === 'closed') return;
    try {
      await this.workers.finish();
    } finally {
      this.workers.close();
    }
  }

  #start(): void {
    // A signal came during the boot.
    if (this.#shutdown.reason) return;
    this.workers.start();
    reportInFlight(() => this.workers.inFlight + this.requestsInFlight());
    reportReady();
  }
}
