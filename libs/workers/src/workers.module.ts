import { type DynamicModule, Logger, Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { BackgroundProcessExplorer } from './background-process.explorer.js';
import { Workers, type WorkersOptions } from './core/index.js';
import { WorkersLifecycle } from './workers.lifecycle.js';
import {
  ConfigurableWorkersModule,
  WORKERS_MODULE_OPTIONS,
  type WORKERS_OPTIONS_TYPE,
} from './workers.module-definition.js';

/**
 * Runs every provider with `@BackgroundProcess()` after the application has booted, and lets each finish its current
 * step during a shutdown. Import it once, next to `CoordinatedShutdownModule`. `Workers` can then be injected
 * everywhere.
 *
 * @example
 * ```ts
 * import { Module } from '@nestjs/common';
 * import { CoordinatedShutdownModule } from '@roost/shutdown';
 * import { BackgroundProcess, type RunToken, WorkersModule } from '@roost/workers';
 *
 * @BackgroundProcess()
 * class HeartbeatProcess {
 *   async handle(run: RunToken): Promise<void> {
 *     while (await run.sleep(10_000)) console.log('alive');
 *   }
 * }
 *
 * @Module({
 *   imports: [CoordinatedShutdownModule.forRoot(), WorkersModule.forRoot({ maxWaitMs: 10_000 })],
 *   providers: [HeartbeatProcess],
 * })
 * export class AppModule {}
 * ```
 *
 * @publicApi
 */
@Module({
  imports: [DiscoveryModule],
  providers: [
    {
      provide: Workers,
      useFactory: (options: WorkersOptions = {}) =>
        new Workers({ ...options, logger: options.logger ?? new Logger(Workers.name) }),
      inject: [{ token: WORKERS_MODULE_OPTIONS, optional: true }],
    },
    BackgroundProcessExplorer,
    WorkersLifecycle,
  ],
  exports: [Workers],
})
export class WorkersModule extends ConfigurableWorkersModule {
  static override forRoot(options: typeof WORKERS_OPTIONS_TYPE = {}): DynamicModule {
    return super.forRoot(options);
  }
}
