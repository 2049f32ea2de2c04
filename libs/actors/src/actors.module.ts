import { type DynamicModule, type FactoryProvider, Global, Module, Scope } from '@nestjs/common';
import { readActorDefinition } from './actor-definition.js';
import { ActorExplorer, type Feature } from './actor.explorer.js';
import { ActorRegistry } from './actor.registry.js';
import { FEATURE } from './actors.constants.js';
import { ActorsLifecycle } from './actors.lifecycle.js';
import { type ACTOR_SYSTEM_OPTIONS_TYPE, ConfigurableActorSystemModule } from './actors.module-definition.js';
import { getActorSystemToken, getActorToken } from './actors.tokens.js';
import type { ActorClass, ActorSystem } from './core/index.js';

/** What all systems and features of an application share. */
@Global()
@Module({ providers: [ActorExplorer, ActorRegistry, ActorsLifecycle], exports: [ActorRegistry, ActorsLifecycle] })
class ActorRegistryModule {}

/**
 * `forRoot` in the root module makes an actor system; `forFeature` in any module lists the actor classes that are made with
 * the providers of that module.
 *
 * @publicApi
 */
@Module({ imports: [ActorRegistryModule] })
export class ActorSystemModule extends ConfigurableActorSystemModule {
  static override forRoot(options: typeof ACTOR_SYSTEM_OPTIONS_TYPE = {}): DynamicModule {
    return super.forRoot(options);
  }

  /**
   * @param system a name given in a `forRoot`. @default the default system
   * @throws NotAnActorClassError, DuplicateHandlerError, InvalidActorOptionError
   */
  static forFeature(actors: readonly ActorClass[], system?: string): DynamicModule {
    for (const type of actors) readActorDefinition(type, 'ActorSystemModule.forFeature()');
    const feature: Feature = { actors, system };
    const refs = actors.flatMap((type) => refProviders(type, system));
    return {
      module: ActorSystemModule,
      providers: [{ provide: FEATURE, useValue: feature }, ...refs],
      exports: refs.map(({ provide }) => provide),
    };
  }
}

function refProviders(type: ActorClass, system: string | undefined): FactoryProvider[] {
  const tokens = new Set([getActorToken(type), getActorToken(type, system)]);
  return [...tokens].map((provide) => ({
    provide,
    // Made for who asks for it, so that an actor that nobody injects is not spawned. All get the same one.
    scope: Scope.TRANSIENT,
    useFactory: (registry: ActorRegistry, injected?: ActorSystem) => registry.refOf(type, system, injected),
    inject: [ActorRegistry, { token: getActorSystemToken(system), optional: true }],
  }));
}
