import { ConfigurableModuleBuilder, type DynamicModule, type FactoryProvider } from '@nestjs/common';
import { ActorRegistry } from './actor.registry.js';
import { RESOLVED_OPTIONS, SYSTEM_DEFINITION } from './actors.constants.js';
import { type ActorSystemModuleOptions, DEFAULT_SYSTEM_NAME, resolveModuleOptions } from './actors.options.js';
import type { ResolvedModuleOptions } from './actors.options.js';
import { getActorSystemToken } from './actors.tokens.js';
import { ActorSystem } from './core/index.js';

const extras = {
  isGlobal: true,
  /** Beside `useFactory` in `forRootAsync`: providers have to be known before a factory runs. */
  name: undefined as string | undefined,
};

export const { ConfigurableModuleClass, MODULE_OPTIONS_TOKEN, OPTIONS_TYPE, ASYNC_OPTIONS_TYPE } =
  new ConfigurableModuleBuilder<Omit<ActorSystemModuleOptions, 'name'>>({ moduleName: 'ActorSystem' })
    .setClassMethodName('forRoot')
    .setFactoryMethodName('createActorSystemOptions')
    .setExtras(extras, (definition, { isGlobal, name = DEFAULT_SYSTEM_NAME }) => withSystem(definition, name, isGlobal))
    .build();

function withSystem(definition: DynamicModule, name: string, isGlobal: boolean): DynamicModule {
  const named = getActorSystemToken(name);
  const providers: FactoryProvider[] = [
    {
      provide: RESOLVED_OPTIONS,
      useFactory: (options?: ActorSystemModuleOptions) => resolveModuleOptions(options, name),
      inject: [MODULE_OPTIONS_TOKEN],
    },
    {
      provide: named,
      useFactory: (registry: ActorRegistry, options: ResolvedModuleOptions) => registry.createSystem(options),
      inject: [ActorRegistry, RESOLVED_OPTIONS],
    },
    {
      // Whichever of several modules Nest takes it from, it is the default one.
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
