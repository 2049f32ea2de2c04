import {
  type BeforeApplicationShutdown,
  type HttpServer,
  Injectable,
  type OnApplicationBootstrap,
  type OnApplicationShutdown,
  type OnModuleDestroy,
  type OnModuleInit,
} from '@nestjs/common';
import { HttpAdapterHost, ModulesContainer } from '@nestjs/core';
import { CoordinatedShutdown } from './core/index.js';
import { ProcessHub } from './core/process/process-hub.js';
import { DuplicateModuleError } from './errors/duplicate-module.error.js';
import { guardAdapter } from './nest/adapter-guards.js';
import { NestHost } from './nest/host.js';
import { afterLastHook } from './nest/last-hook.js';
import { ShutdownTaskExplorer } from './shutdown-task.explorer.js';

/** Connects the shutdown to Nest's lifecycle, so that importing the module is enough. */
@Injectable()
export class ShutdownLifecycle
  implements OnModuleInit, OnApplicationBootstrap, OnModuleDestroy, BeforeApplicationShutdown, OnApplicationShutdown
{
  /** Nest calls the boot hooks of a microservice twice if `init()` is called explicitly. */
  #budgetChecked = false;
  #adapter: HttpServer | undefined;
  readonly #modules: Parameters<typeof afterLastHook>[0];
  #ready = false;

  constructor(
    private readonly shutdown: CoordinatedShutdown,
    private readonly explorer: ShutdownTaskExplorer,
    private readonly host: NestHost,
    private readonly adapterHost: HttpAdapterHost,
    modules: ModulesContainer,
  ) {
    this.#modules = [...modules.values()];
    host.unwatched.add(this);
    this.#onStart();
    // Otherwise only Nest's own listener would get a signal that arrives before `onModuleInit`.
    if (ProcessHub.of().capturesEarly) this.#getReady();
  }

  onModuleInit(): void {
    const copies = this.#modules.filter(({ providers }) => providers.has(ShutdownLifecycle));
    if (copies.length > 1) throw new DuplicateModuleError();
    this.#getReady();
  }

  onApplicationBootstrap(): void {
    // Every onModuleInit has run by now, and phases may be declared there.
    this.explorer.registerAll();
    afterLastHook(this.#modules, 'onApplicationBootstrap', (failed) => {
      this.host.booted = !failed;
      if (!failed) this.shutdown.hostBooted();
      // Otherwise the boot ends when `init()` does.
      if (!this.host.ownsApp) this.host.bootEnded();
    });
    if (this.#budgetChecked) return;
    this.#budgetChecked = true;
    for (const warning of this.shutdown.budgetWarnings()) this.shutdown.options.logger.warn(warning);
  }

  /** Safety net for applications without an HTTP adapter. Hooks of other modules have already run at this point. */
  async onModuleDestroy(): Promise<void> {
    if (!this.host.phasesAreOver && !this.host.ownsApp && !this.adapterHost.httpAdapter) {
      this.shutdown.options.logger.warn(
        'Nest called shutdown hooks before the phases. An application without an HTTP server needs enableCoordinatedShutdown(app) in main.ts.',
      );
    }
    await this.host.phasesOver();
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.host.phasesOver();
  }

  onApplicationShutdown(signal?: string): void {
    afterLastHook(this.#modules, 'onApplicationShutdown', () => {
      // Nest's own signal listener is about to raise the signal again. It must not count as a second signal.
      if (signal && !this.host.ownsApp) ProcessHub.of().ignoreNext(signal);
      this.host.nestEnded();
    });
  }

  /** Makes signals start the shutdown, once the boot has settled. */
  #getReady(): void {
    this.#guardHttpAdapter();
    if (this.host.ownsApp || this.#ready) return;
    this.#ready = true;
    this.host.bootBegan();
    this.shutdown.installProcessHooks();
  }

  #guardHttpAdapter(): void {
    const adapter: HttpServer | undefined = this.adapterHost.httpAdapter;
    if (!adapter || adapter === this.#adapter) return;
    this.#adapter = adapter;
    guardAdapter(adapter, this.shutdown, this.host);
  }

  /**
   * Registers, when the shutdown starts, the tasks that `onApplicationBootstrap` has not seen: tasks of lazily loaded
   * modules, or all tasks if the boot did not get that far.
   */
  #onStart(): void {
    this.shutdown.events$.subscribe((event) => {
      if (event.type !== 'shutdown.started') return;
      this.explorer.registerAll((error) =>
        this.shutdown.options.logger.error(`a shutdown task will not run: ${error.message}`),
      );
    });
  }
}
