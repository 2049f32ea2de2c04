import {
  type BeforeApplicationShutdown,
  Injectable,
  type OnApplicationBootstrap,
  type OnModuleDestroy,
  type OnModuleInit,
  Optional,
} from '@nestjs/common';
import { CoordinatedShutdown } from '@roost/shutdown';
import { ActorRegistry } from './actor.registry.js';
import type { ResolvedActorSystemModuleOptions } from './actors.options.js';
import type { ActorSystem } from './core/index.js';
import { registerActorsTasks, stopSystem } from './core/shutdown-tasks.js';

/**
 * Connects the actor systems to Nest's lifecycle and to the coordinated shutdown. Its module is global, so that its boot
 * hooks run before those of other modules: in `onApplicationBootstrap` of any provider an actor can be asked.
 */
@Injectable()
export class ActorsLifecycle
  implements OnModuleInit, OnApplicationBootstrap, OnModuleDestroy, BeforeApplicationShutdown
{
  /** Nest calls the boot hooks of a microservice twice when it is told to `init()`. */
  #initialized = false;

  constructor(
    private readonly registry: ActorRegistry,
    @Optional() private readonly shutdown?: CoordinatedShutdown,
  ) {
    shutdown?.events$.subscribe(({ type }) => {
      // Before the end of the boot nothing else releases actors that wait for it.
      if (type === 'shutdown.started') registry.gate.cancel();
    });
  }

  /** Makes the system of a `forRoot`, which is a part of the shutdown from then on. */
  createSystem({ runShutdownOnTerminate, ...options }: ResolvedActorSystemModuleOptions): ActorSystem {
    const system = this.registry.createSystem(options);
    if (this.shutdown) {
      registerActorsTasks(this.shutdown, system, { declaredBy: 'ActorSystemModule', runShutdownOnTerminate });
    }
    return system;
  }

  async onModuleInit(): Promise<void> {
    if (this.#initialized) return;
    this.#initialized = true;
    await this.registry.verify();
    this.registry.spawnBootstrapActors();
  }

  async onApplicationBootstrap(): Promise<void> {
    await this.registry.start();
  }

  /** After a boot that has failed: actors that wait for its end must not hold up the shutdown. */
  onModuleDestroy(): void {
    this.registry.gate.cancel();
  }

  /** Without a coordinated shutdown, or when that was aborted before. Systems that it has stopped are left alone. */
  async beforeApplicationShutdown(): Promise<void> {
    const running = this.registry.systems.filter(({ state }) => state === 'running');
    const stops = await Promise.allSettled(running.map((system) => stopSystem(system)));
    for (const stop of stops) if (stop.status === 'rejected') throw stop.reason;
  }
}
