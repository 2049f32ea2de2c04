import {
  type BeforeApplicationShutdown,
  Injectable,
  type OnApplicationBootstrap,
  type OnModuleDestroy,
  type OnModuleInit,
} from '@nestjs/common';
import { ActorRegistry } from './actor.registry.js';
import { endSystem } from './actors.tasks.js';

/**
 * Hangs the actor systems into Nest's lifecycle. Its module is global, so that its boot hooks come before those of others:
 * in `onApplicationBootstrap` of any provider an actor can be asked.
 */
@Injectable()
export class ActorsLifecycle
  implements OnModuleInit, OnApplicationBootstrap, OnModuleDestroy, BeforeApplicationShutdown
{
  /** Nest calls the boot hooks of a microservice twice when it is told to `init()`. */
  #initialized = false;

  constructor(private readonly registry: ActorRegistry) {}

  async onModuleInit(): Promise<void> {
    if (this.#initialized) return;
    this.#initialized = true;
    await this.registry.verify();
    this.registry.spawnBootstrapActors();
  }

  async onApplicationBootstrap(): Promise<void> {
    await this.registry.start();
  }

  /** After a boot that has failed: those who wait for its end must not hold up the shutdown. */
  onModuleDestroy(): void {
    this.registry.gate.cancel();
  }

  /** Without a coordinated shutdown, or when that has not come so far. What has been ended there is not touched again. */
  async beforeApplicationShutdown(): Promise<void> {
    const running = this.registry.systems.filter(({ state }) => state === 'running');
    const ends = await Promise.allSettled(running.map((system) => endSystem(system)));
    for (const end of ends) if (end.status === 'rejected') throw end.reason;
  }
}
