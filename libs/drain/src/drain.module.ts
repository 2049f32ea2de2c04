import { type DynamicModule, Logger, Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { Drain, type DrainOptions } from './core/index.js';
import { IN_FLIGHT } from './drain.constants.js';
import { DrainLifecycle } from './drain.lifecycle.js';
import { ConfigurableModuleClass, MODULE_OPTIONS_TOKEN, type OPTIONS_TYPE } from './drain.module-definition.js';
import { DrainService } from './drain.service.js';

/**
 * Import it once, beside `CoordinatedShutdownModule`: when the application is told to stop, requests and messages in
 * flight are finished and new ones refused, on every server and transport that Nest knows of.
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
      inject: [{ token: MODULE_OPTIONS_TOKEN, optional: true }],
    },
    { provide: IN_FLIGHT, useFactory: (drain: Drain) => () => drain.meter.inFlight, inject: [Drain] },
    DrainService,
    DrainLifecycle,
  ],
  exports: [Drain, DrainService, IN_FLIGHT],
})
export class DrainModule extends ConfigurableModuleClass {
  static override forRoot(options: typeof OPTIONS_TYPE = {}): DynamicModule {
    return super.forRoot(options);
  }
}
