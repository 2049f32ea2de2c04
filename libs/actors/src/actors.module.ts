import { type DynamicModule, type FactoryProvider, Global, Module, Scope } from '@nestjs/common';
import { readActorDefinition } from './actor-definition.js';
import { ActorExplorer, type Feature } from './actor.explorer.js';
import { ActorRegistry } from './actor.registry.js';
import { FEATURE } from './actors.constants.js';
import { ActorsLifecycle } from './actors.lifecycle.js';
import { type ACTOR_SYSTEM_OPTIONS_TYPE, ConfigurableActorSystemModule } from './actors.module-definition.js';
import { getActorSystemToken, getActorToken } from './actors.tokens.js';
import type { ActorClass, ActorSystem } from './core/index.js';

/** The part that all systems and features of an application share. */
@Global()
@Module({ providers: [ActorExplorer, ActorRegistry, ActorsLifecycle], exports: [ActorRegistry, ActorsLifecycle] })
class ActorRegistryModule {}

/**
 * Adds actors to a Nest application. `forRoot` in the root module creates an actor system. `forFeature` in any module
 * lists actor classes, which are created with that module's providers.
 *
 * @example
 * ```ts
 * import { Module } from '@nestjs/common';
 * import { Actor, ActorSystemModule, Receive } from '@roost/actors';
 *
 * class AddItem {
 *   constructor(readonly sku: string) {}
 * }
 *
 * @Actor()
 * class CartActor {
 *   private readonly items: string[] = [];
 *
 *   @Receive(AddItem)
 *   add({ sku }: AddItem): void {
 *     this.items.push(sku);
 *   }
 * }
 *
 * @Module({
 *   imports: [
 *     ActorSystemModule.forRoot({ askTimeoutMs: 2_000 }),
 *     ActorSystemModule.forFeature([CartActor]),
 *   ],
 * })
 * export class AppModule {}
 * ```
 *
 * @publicApi
 */
@Module({ imports: [ActorRegistryModule] })
export class ActorSystemModule extends ConfigurableActorSystemModule {
  static override forRoot(options: typeof ACTOR_SYSTEM_OPTIONS_TYPE = {}): DynamicModule {
    return super.forRoot(options);
  }

  /**
   * Lists actor classes that modules importing this one may spawn and inject.
   *
   * @param system name of a system declared with `forRoot`. @default the default system
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
    // Transient, so that an actor is spawned only if something injects it. All injections get the same actor.
    scope: Scope.TRANSIENT,
    useFactory: (registry: ActorRegistry, injected?: ActorSystem) => registry.refOf(type, system, injected),
    inject: [ActorRegistry, { token: getActorSystemToken(system), optional: true }],
  }));
}
