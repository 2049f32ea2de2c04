import { type DynamicModule, Module, type OnApplicationBootstrap, Optional } from '@nestjs/common';
import { ModuleRef, ModulesContainer } from '@nestjs/core';
import { HealthCheckService, HealthIndicatorService, TerminusModule } from '@nestjs/terminus';
import { CoordinatedShutdown } from '@roost/shutdown';
import { DuplicateProbesError } from './errors/duplicate-probes.error.js';
import { PROBE_ROUTES } from './health.constants.js';
import {
  ConfigurableHealthModule,
  HEALTH_MODULE_OPTIONS,
  type HEALTH_OPTIONS_TYPE,
} from './health.module-definition.js';
import type { HealthOptions } from './options.js';
import { Probes } from './probes.js';
import { quietDuringShutdown } from './quiet-terminus.js';
import { ShutdownHealthIndicator } from './shutdown.health.js';

/**
 * `HealthModule.forRoot()` serves `/health/live`, `/health/ready` and `/health/startup`. Imported as a plain class, it
 * has no routes and provides `ShutdownHealthIndicator` for your own Terminus controller.
 *
 * @example
 * ```ts
 * import { Module } from '@nestjs/common';
 * import { HealthModule } from '@roost/health';
 * import { CoordinatedShutdownModule } from '@roost/shutdown';
 *
 * @Module({ imports: [CoordinatedShutdownModule.forRoot(), HealthModule.forRoot({ port: 9000 })] })
 * export class AppModule {}
 * ```
 *
 * @publicApi
 */
@Module({
  imports: [TerminusModule.forRoot({ logger: false })],
  providers: [
    ShutdownHealthIndicator,
    {
      provide: Probes,
      useFactory: (
        health: HealthCheckService,
        indicators: HealthIndicatorService,
        shutdownIndicator: ShutdownHealthIndicator,
        shutdown: CoordinatedShutdown,
        moduleRef: ModuleRef,
        options: HealthOptions | undefined,
      ) => new Probes(options, health, indicators, shutdownIndicator, shutdown, moduleRef),
      inject: [
        HealthCheckService,
        HealthIndicatorService,
        ShutdownHealthIndicator,
        // The indicator reports a missing shutdown with a better error than Nest does.
        { token: CoordinatedShutdown, optional: true },
        ModuleRef,
        { token: HEALTH_MODULE_OPTIONS, optional: true },
      ],
    },
  ],
  exports: [ShutdownHealthIndicator],
})
export class HealthModule extends ConfigurableHealthModule implements OnApplicationBootstrap {
  constructor(
    private readonly modules: ModulesContainer,
    @Optional() private readonly shutdown: CoordinatedShutdown,
  ) {
    super();
    // Not in a hook: the routes are registered before the first hook, and Fastify would fail with a less helpful error.
    this.#assertOncePerPath();
  }

  static override forRoot(options: typeof HEALTH_OPTIONS_TYPE = {}): DynamicModule {
    return super.forRoot(options);
  }

  onApplicationBootstrap(): void {
    quietDuringShutdown(this.modules, this.shutdown);
  }

  #assertOncePerPath(): void {
    const paths = [...this.modules.values()]
      .map(({ providers }) => providers.get(PROBE_ROUTES)?.instance as string | undefined)
      .filter((path) => path !== undefined);
    const twice = paths.find((path, index) => paths.indexOf(path) < index);
    if (twice !== undefined) throw new DuplicateProbesError(twice);
  }
}
