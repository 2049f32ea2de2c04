import { Injectable } from '@nestjs/common';
import { type HealthIndicatorResult, HealthIndicatorService } from '@nestjs/terminus';
import { ActorRegistry } from './actor.registry.js';
import type { ActorSystem } from './core/index.js';

/** Options of `ActorSystemHealthIndicator.isHealthy()`. @publicApi */
export interface ActorSystemHealthOptions {
  /** Name of the system. @default the default system */
  system?: string;
  /** Largest number of messages waiting in one mailbox; beyond it the system is degraded. @default no limit */
  maxMailbox?: number;
  /**
   * Largest number of restarts in the last minute, or since the last probe if that was longer ago; beyond it the system
   * is degraded. @default no limit
   */
  maxRestartsPerMinute?: number;
}

const MINUTE_MS = 60_000;
/** Samples kept per minute, which is also the resolution of the minute. */
const SAMPLES = 12;

/**
 * Reports the health of an actor system to probes: down when the system is stopping or has stopped, or when a top-level
 * actor from the boot has stopped; degraded when a limit is exceeded. Each check visits every actor.
 *
 * @example
 * ```ts
 * import { Controller, Get } from '@nestjs/common';
 * import { HealthCheck, type HealthCheckResult, HealthCheckService } from '@nestjs/terminus';
 * import { ActorSystemHealthIndicator } from '@roost/actors/terminus';
 *
 * @Controller('health')
 * export class HealthController {
 *   constructor(
 *     private readonly health: HealthCheckService,
 *     private readonly actors: ActorSystemHealthIndicator,
 *   ) {}
 *
 *   @Get()
 *   @HealthCheck()
 *   check(): Promise<HealthCheckResult> {
 *     return this.health.check([() => this.actors.isHealthy('actors', { maxMailbox: 1_000 })]);
 *   }
 * }
 * ```
 *
 * @publicApi
 */
@Injectable()
export class ActorSystemHealthIndicator {
  readonly #restarts = new WeakMap<ActorSystem, { at: number; restarts: number }[]>();

  constructor(
    private readonly registry: ActorRegistry,
    private readonly indicators: HealthIndicatorService,
  ) {}

  /** @throws UnknownActorSystemError */
  isHealthy(key = 'actors', options: ActorSystemHealthOptions = {}): HealthIndicatorResult {
    const { maxMailbox = Infinity, maxRestartsPerMinute = Infinity } = options;
    const system = this.registry.systemNamed(options.system);
    const { actors, deepestMailbox = null } = system.census();
    const data = { actors, restarts: system.restarts, deepestMailbox, deadLetters: system.deadLetterCount };
    const indicator = this.indicators.check(key);
    const ended = this.registry.topActors(system.name).filter((actor) => actor.ended);
    if (system.state !== 'running') return indicator.down({ ...data, state: system.state });
    if (ended.length > 0) return indicator.down({ ...data, ended: ended.map(({ ref }) => ref.path) });
    const exceeded = [
      (deepestMailbox?.size ?? 0) > maxMailbox && 'maxMailbox',
      this.#restartsOfMinute(system) > maxRestartsPerMinute && 'maxRestartsPerMinute',
    ].filter(Boolean);
    return exceeded.length > 0 ? indicator.degraded({ ...data, exceeded }) : indicator.up(data);
  }

  /** Counts the restarts since the oldest sample within the last minute. */
  #restartsOfMinute(system: ActorSystem): number {
    const { restarts } = system;
    const now = system.options.clock.monotonic();
    const samples = this.#restarts.get(system) ?? [{ at: now - MINUTE_MS, restarts: 0 }];
    this.#restarts.set(system, samples);
    if (now - samples.at(-1)!.at >= MINUTE_MS / SAMPLES) samples.push({ at: now, restarts });
    while (samples.length > 1 && now - samples[1]!.at >= MINUTE_MS) samples.shift();
    return restarts - samples[0]!.restarts;
  }
}
