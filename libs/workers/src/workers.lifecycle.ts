import { Injectable, type OnModuleDestroy, type OnModuleInit, Optional } from '@nestjs/common';
import { CoordinatedShutdown } from '@roost/shutdown';
import { BackgroundProcessExplorer } from './background-process.explorer.js';
import { reportInFlight, reportReady, Workers } from './core/index.js';
import { registerWorkersTasks } from './core/shutdown-tasks.js';
import { WorkersShutdownMissingError } from './errors/workers-shutdown-missing.error.js';

/** Connects explorer, engine and shutdown tasks to the lifecycle of the application. */
@Injectable()
export class WorkersLifecycle implements OnModuleInit, OnModuleDestroy {
  /** Guards against a second call: Nest calls the boot hooks of a microservice twice when `init()` is called on it. */
  #hasExplored = false;
  readonly #shutdown: CoordinatedShutdown;

  constructor(
    private readonly workers: Workers,
    private readonly explorer: BackgroundProcessExplorer,
    @Optional() shutdown?: CoordinatedShutdown,
  ) {
    if (!shutdown) throw new WorkersShutdownMissingError();
    this.#shutdown = shutdown;
    registerWorkersTasks(shutdown, workers, 'WorkersModule');
    shutdown.events$.subscribe(({ type }) => {
      if (type === 'host.booted') this.#start();
    });
  }

  /** Only adds the processes. A mistake in one of them thus prevents all from starting. */
  onModuleInit(): void {
    if (this.#hasExplored) return;
    this.#hasExplored = true;
    for (const definition of this.explorer.findAll()) this.workers.add(definition);
  }

  /** Stops the workers if the shutdown tasks have not, because their phases were disabled, skipped or cut short. */
  async onModuleDestroy(): Promise<void> {
    if (this.workers.state === 'stopped') return;
    try {
      await this.workers.finish();
    } finally {
      this.workers.close();
    }
  }

  #start(): void {
    // A signal arrived during the boot.
    if (this.#shutdown.reason) return;
    this.workers.start();
    reportInFlight(() => this.#shutdown.inFlight);
    reportReady();
  }
}
