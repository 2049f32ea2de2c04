import { ConfigurableModuleBuilder, type DynamicModule, type FactoryProvider } from '@nestjs/common';
import { ActorRegistry } from './actor.registry.js';
import { ACTOR_SYSTEM_MODULE_OPTIONS, RESOLVED_ACTOR_SYSTEM_OPTIONS, SYSTEM_DEFINITION } from './actors.constants.js';
import { ActorsLifecycle } from './actors.lifecycle.js';
import {
  type ActorSystemModuleOptions,
  type ResolvedActorSystemModuleOptions,
  resolveActorSystemModuleOptions,
} from './actors.options.js';
import { getActorSystemToken } from './actors.tokens.js';
import { ActorSystem } from './core/index.js';
import { DEFAULT_ACTOR_SYSTEM_OPTIONS } from './core/options.js';

const extras = {
  isGlobal: true,
  /** In `forRootAsync` the name is set next to `useFactory`, because providers must be known before a factory runs. */
  name: undefined as string | undefined,
};

export const { ConfigurableModuleClass: ConfigurableActorSystemModule, OPTIONS_TYPE: ACTOR_SYSTEM_OPTIONS_TYPE } =
  new ConfigurableModuleBuilder<Omit<ActorSystemModuleOptions, 'name'>>({
    moduleName: 'ActorSystem',
    optionsInjectionToken: ACTOR_SYSTEM_MODULE_OPTIONS,
  })
    .setClassMethodName('forRoot')
    .setFactoryMethodName('createActorSystemOptions')
    .setExtras(extras, (definition, { isGlobal, name = DEFAULT_ACTOR_SYSTEM_OPTIONS.name }) =>
      withSystem(definition, name, isGlobal),
    )
    .build();

function withSystem(definition: DynamicModule, name: string, isGlobal: boolean): DynamicModule {
  const named = getActorSystemToken(name);
  const providers: FactoryProvider[] = [
    {
      provide: RESOLVED_ACTOR_SYSTEM_OPTIONS,
      useFactory: (options?: ActorSystemModuleOptions) => resolveActorSystemModuleOptions(options, name),
      inject: [ACTOR_SYSTEM_MODULE_OPTIONS],
    },
    {
      provide: named,
      useFactory: (lifecycle: ActorsLifecycle, options: ResolvedActorSystemModuleOptions) =>
        lifecycle.createSystem(options),
      inject: [ActorsLifecycle, RESOLVED_ACTOR_SYSTEM_OPTIONS],
    },
    {
      // Nest may take this token from any of several modules, so each one provides the default system.
      provide: ActorSystem,
      useFactory: (registry: ActorRegistry, system: ActorSystem) =>
        registry.defaultName === name ? system : registry.defaultSystem(),
      inject: [ActorRegistry, named],
    },
  ];
  return {
    ...definition,
    global: isGlobal,
    providers: [
      ...(definition.providers ?? []),
      { provide: SYSTEM_DEFINITION, useValue: { name, isGlobal } },
      ...providers,
    ],
    exports: [named, ActorSystem],
  };
}
