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
 * Connects the actor systems to Nest's lifecycle and to the coordinated shutdown. Its module is global, so its boot
 * hooks run before those of other modules, and any provider can ask an actor in `onApplicationBootstrap`.
 */
@Injectable()
export class ActorsLifecycle
  implements OnModuleInit, OnApplicationBootstrap, OnModuleDestroy, BeforeApplicationShutdown
{
  /** Nest runs the boot hooks of a microservice twice if the application also calls `init()`. */
  #initialized = false;

  constructor(
    private readonly registry: ActorRegistry,
    @Optional() private readonly shutdown?: CoordinatedShutdown,
  ) {
    shutdown?.events$.subscribe(({ type }) => {
      // A shutdown during the boot has to release actors that wait for the boot to finish.
      if (type === 'shutdown.started') registry.gate.cancel();
    });
  }

  /** Creates the system of a `forRoot` and adds it to the coordinated shutdown, if there is one. */
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

  /** Releases actors that still wait for a failed boot, so that they do not block the shutdown. */
  onModuleDestroy(): void {
    this.registry.gate.cancel();
  }

  /**
   * Stops systems that are still running: without a coordinated shutdown, or when it was aborted before its last phase.
   */
  async beforeApplicationShutdown(): Promise<void> {
    const running = this.registry.systems.filter(({ state }) => state === 'running');
    const stops = await Promise.allSettled(running.map((system) => stopSystem(system)));
    for (const stop of stops) if (stop.status === 'rejected') throw stop.reason;
  }
}
