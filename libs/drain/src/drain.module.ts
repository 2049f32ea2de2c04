import { type DynamicModule, Logger, Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { Drain, type DrainOptions } from './core/index.js';
import { DrainTargetExplorer } from './drain-target.explorer.js';
import { DrainLifecycle } from './drain.lifecycle.js';
import { ConfigurableDrainModule, DRAIN_MODULE_OPTIONS, type DRAIN_OPTIONS_TYPE } from './drain.module-definition.js';
import { DrainService } from './drain.service.js';

/**
 * Import it once, beside `CoordinatedShutdownModule`. When the application stops, requests and messages in flight finish
 * and new ones are refused, on every server and transport that Nest has.
 *
 * @publicApi
 */
@Module({
  imports: [DiscoveryModule],
  providers: [
    {
      provide: Drain,
      useFactory: (options: DrainOptions = {}) =>
        new Drain({ ...options, logger: options.logger ?? new Logger(Drain.name) }),
      inject: [{ token: DRAIN_MODULE_OPTIONS, optional: true }],
    },
    DrainService,
    DrainTargetExplorer,
    DrainLifecycle,
  ],
  exports: [Drain, DrainService],
})
export class DrainModule extends ConfigurableDrainModule {
  static override forRoot(options: typeof DRAIN_OPTIONS_TYPE = {}): DynamicModule {
    return super.forRoot(options);
  }
}
