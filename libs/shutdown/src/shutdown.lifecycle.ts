import {
  type BeforeApplicationShutdown,
  type HttpServer,
  Injectable,
  type OnApplicationBootstrap,
  type OnApplicationShutdown,
  type OnModuleDestroy,
  type OnModuleInit,
} from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { ApplicationCloseReason, CoordinatedShutdown, ProcessTerminateReason } from './core/index.js';
import { ApplicationStoppedError } from './errors/application-stopped.error.js';
import { NestHost } from './nest-host.js';
import { ShutdownTaskExplorer } from './shutdown-task.explorer.js';

/** Hangs the shutdown into Nest's lifecycle: this is what makes importing the module enough. */
@Injectable()
export class ShutdownLifecycle
  implements OnModuleInit, OnApplicationBootstrap, OnModuleDestroy, BeforeApplicationShutdown, OnApplicationShutdown
{
  constructor(
    private readonly shutdown: CoordinatedShutdown,
    private readonly explorer: ShutdownTaskExplorer,
    private readonly host: NestHost,
    private readonly adapterHost: HttpAdapterHost,
  ) {
    host.unwatched.add(this);
  }

  onModuleInit(): void {
    this.explorer.registerAll();
    this.#wrapHttpAdapter();
    this.#registerLazyModules();
    if (!this.host.ownsApp) {
      this.host.bootBegan();
      this.shutdown.installProcessHooks();
    }
  }

  onApplicationBootstrap(): void {
    if (!this.host.ownsApp) this.host.bootEnded();
    const warning = this.shutdown.budgetWarning();
    if (warning) this.shutdown.options.logger.warn(warning);
  }

  /** Safety net for applications without an HTTP adapter: here the hooks of other modules have run already. */
  async onModuleDestroy(): Promise<void> {
    if (this.shutdown.state === 'running' && !this.adapterHost.httpAdapter) {
      this.shutdown.options.logger.warn(
        'Nest called shutdown hooks before the phases: this kind of application needs enableCoordinatedShutdown(app) in main.ts.',
      );
    }
    await this.#phasesOver();
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.#phasesOver();
  }

  onApplicationShutdown(): void {
    const { reason } = this.shutdown;
    const signalled = reason instanceof ProcessTerminateReason && process.listenerCount(reason.signal) > 1;
    if (!signalled) return this.host.nestEnded();
    // Other modules' hooks may follow this one. When all have run, Nest removes its signal listeners.
    const onRemoved = (event: string | symbol): void => {
      if (event !== reason.signal) return;
      process.off('removeListener', onRemoved);
      this.host.nestEnded();
    };
    process.on('removeListener', onRemoved);
  }

  /** Runs the phases, or waits for those that are running. */
  async #phasesOver(): Promise<void> {
    this.host.nestBegan();
    const run =
      this.shutdown.state === 'running' ? this.shutdown.run(new ApplicationCloseReason()) : this.shutdown.run();
    await run.catch(() => undefined);
  }

  /** Nest awaits `beforeClose` before any shutdown hook, on `app.close()` and on signals alike. */
  #wrapHttpAdapter(): void {
    const adapter: HttpServer | undefined = this.adapterHost.httpAdapter;
    if (!adapter) return;
    const beforeClose = adapter.beforeClose?.bind(adapter);
    const listen = adapter.listen.bind(adapter) as (...args: unknown[]) => unknown;
    adapter.beforeClose = async () => {
      await beforeClose?.();
      await this.#phasesOver();
    };
    adapter.listen = (...args: unknown[]) => {
      const { reason } = this.shutdown;
      if (!reason) return listen(...args);
      // The process is about to end: app.listen() stays pending, and the caller never goes on.
      if (reason instanceof ProcessTerminateReason) return undefined;
      throw new ApplicationStoppedError(String(reason));
    };
  }

  /** Lazily loaded modules get no lifecycle hooks: their tasks are found when the shutdown starts. */
  #registerLazyModules(): void {
    this.shutdown.events$.subscribe((event) => {
      if (event.type !== 'shutdown.started') return;
      try {
        this.explorer.registerAll();
      } catch (error) {
        this.shutdown.options.logger.error(`a task of a lazily loaded module is not run: ${(error as Error).message}`);
      }
    });
  }
}
