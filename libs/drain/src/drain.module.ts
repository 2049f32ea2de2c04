import { type DynamicModule, Logger, Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { Drain, type DrainOptions } from './core/index.js';
import { DrainTargetExplorer } from './drain-target.explorer.js';
import { DrainLifecycle } from './drain.lifecycle.js';
import { ConfigurableDrainModule, DRAIN_MODULE_OPTIONS, type DRAIN_OPTIONS_TYPE } from './drain.module-definition.js';
import { DrainService } from './drain.service.js';

/**
 * Drains the application during a coordinated shutdown: in-flight HTTP requests and message handlers finish, and new
 * requests are refused. Import it once, next to `CoordinatedShutdownModule`. It finds the HTTP server, the WebSocket
 * gateways and the microservice transports of the application automatically.
 *
 * TCP, NATS and Redis transports stop accepting messages. Other transports keep accepting them until Nest closes them,
 * and the drain does not wait for handlers that start that late. It does not wait for WebSocket handlers or gRPC calls
 * either.
 *
 * @example
 * ```ts
 * import { Module } from '@nestjs/common';
 * import { DrainModule } from '@roost/drain';
 * import { CoordinatedShutdownModule } from '@roost/shutdown';
 *
 * @Module({
 *   imports: [CoordinatedShutdownModule.forRoot(), DrainModule.forRoot({ maxWaitMs: 15_000 })],
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
