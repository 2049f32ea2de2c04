import { type DynamicModule, Logger, Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { CoordinatedShutdown, type CoordinatedShutdownOptions } from './core/index.js';
import { NestHost } from './nest/host.js';
import { ShutdownLifecycle } from './shutdown.lifecycle.js';
import {
  ConfigurableShutdownModule,
  SHUTDOWN_MODULE_OPTIONS,
  type SHUTDOWN_OPTIONS_TYPE,
} from './shutdown.module-definition.js';
import { ShutdownTaskExplorer } from './shutdown-task.explorer.js';

/**
 * Import it once, in the root module. `CoordinatedShutdown` can then be injected everywhere, and every `@ShutdownTask`
 * of the application runs before Nest's own shutdown hooks.
 *
 * @example
 * ```ts
 * import { Module } from '@nestjs/common';
 * import { CoordinatedShutdownModule, Phase } from '@roost/shutdown';
 *
 * @Module({
 *   imports: [
 *     CoordinatedShutdownModule.forRoot({ timeoutMs: 25_000, phases: { [Phase.ServiceStop]: { timeoutMs: 8_000 } } }),
 *   ],
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
      provide: CoordinatedShutdown,
      useFactory: (options: CoordinatedShutdownOptions = {}) =>
        new CoordinatedShutdown({ ...options, logger: options.logger ?? new Logger(CoordinatedShutdown.name) }),
      inject: [{ token: SHUTDOWN_MODULE_OPTIONS, optional: true }],
    },
    ShutdownTaskExplorer,
    NestHost,
    ShutdownLifecycle,
  ],
  exports: [CoordinatedShutdown],
})
export class CoordinatedShutdownModule extends ConfigurableShutdownModule {
  static override forRoot(options: typeof SHUTDOWN_OPTIONS_TYPE = {}): DynamicModule {
    return super.forRoot(options);
  }
}
