import { type DynamicModule, Logger, Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { Workers, type WorkersOptions } from './core/index.js';
import { ProcessExplorer } from './process.explorer.js';
import { WorkersLifecycle } from './workers.lifecycle.js';
import { ConfigurableModuleClass, MODULE_OPTIONS_TOKEN, type OPTIONS_TYPE } from './workers.module-definition.js';

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
      inject: [{ token: MODULE_OPTIONS_TOKEN, optional: true }],
    },
    ProcessExplorer,
    WorkersLifecycle,
  ],
  exports: [Workers],
})
export class WorkersModule extends ConfigurableModuleClass {
  static override forRoot(options: typeof OPTIONS_TYPE = {}): DynamicModule {
    return super.forRoot(options);
  }
}
