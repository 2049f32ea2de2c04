import { Injectable } from '@nestjs/common';
import { type HealthIndicatorResult, HealthIndicatorService } from '@nestjs/terminus';
import { ActorRegistry } from './actor.registry.js';
import type { ActorSystem } from './core/index.js';

/** @publicApi */
export interface ActorSystemHealthOptions {
  /** Name of the system. @default the default system */
  system?: string;
  /** Degraded when more messages wait for one actor. @default no limit */
  maxMailbox?: number;
  /** Degraded when actors were restarted more often in the last minute, or since the last probe if that is longer ago. @default no limit */
  maxRestartsPerMinute?: number;
}

const MINUTE_MS = 60_000;
/** So exact is the minute, and so many looks back are kept. */
const SAMPLES = 12;

/**
 * For probes: down when the system is ending or has ended, or an actor that was there from the boot has ended; degraded
 * when a limit is exceeded. It looks at every actor.
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

  /** By what earlier calls have seen. */
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
