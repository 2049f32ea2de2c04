import { ConfigurableModuleBuilder, type DynamicModule } from '@nestjs/common';
import { CoordinatedShutdown } from '@roost/shutdown';
import { PROBE_ROUTES } from './health.constants.js';
import {
  DEFAULT_HEALTH_ROUTE_OPTIONS,
  type HealthModuleExtras,
  type HealthOptions,
  resolveRouteOptions,
} from './options.js';
import { createProbeController } from './probe.controller.js';
import { ProbeServer } from './probe-server.js';
import { Probes } from './probes.js';

const EXTRAS: HealthModuleExtras = { isGlobal: true, ...DEFAULT_HEALTH_ROUTE_OPTIONS };

export const {
  ConfigurableModuleClass: ConfigurableHealthModule,
  MODULE_OPTIONS_TOKEN: HEALTH_MODULE_OPTIONS,
  OPTIONS_TYPE: HEALTH_OPTIONS_TYPE,
} = new ConfigurableModuleBuilder<HealthOptions>({ moduleName: 'Health' })
  .setClassMethodName('forRoot')
  .setFactoryMethodName('createHealthOptions')
  .setExtras(EXTRAS, (definition, extras) => ({
    ...mount(definition, extras),
    global: extras.isGlobal ?? true,
  }))
  .build();

/** Adds the probes as routes of the application or, with `port`, on a separate port. */
function mount(definition: DynamicModule, extras: HealthModuleExtras): DynamicModule {
  const { path, port, host, decorators } = resolveRouteOptions(extras);
  const added =
    port === undefined
      ? { provide: PROBE_ROUTES, useValue: path }
      : {
          provide: ProbeServer,
          useFactory: (probes: Probes, shutdown: CoordinatedShutdown) =>
            new ProbeServer(probes, shutdown, path, port, host),
          // `Probes` needs the shutdown, too, and reports a missing one with a better error.
          inject: [Probes, { token: CoordinatedShutdown, optional: true }],
        };
  return {
    ...definition,
    providers: [...(definition.providers ?? []), added],
    controllers: port === undefined ? [createProbeController(path, decorators)] : [],
  };
}
