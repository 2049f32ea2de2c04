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
 * Import it once, beside `CoordinatedShutdownModule`: every provider with `@BackgroundProcess()` runs when the application
 * has booted, and a shutdown lets each finish its current step. `Workers` can be injected everywhere.
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
