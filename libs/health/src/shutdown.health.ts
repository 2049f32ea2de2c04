import { Injectable, Optional } from '@nestjs/common';
import { type HealthIndicatorResult, HealthIndicatorService } from '@nestjs/terminus';
import { textOf } from '@roost/kernel';
import { CoordinatedShutdown } from '@roost/shutdown';
import { HealthShutdownMissingError } from './errors/health-shutdown-missing.error.js';

/**
 * Readiness indicator. It is down while the application boots and from the start of a shutdown, and reports the phase,
 * the reason and the in-flight work. Do not use it for liveness: an application that is shutting down must not be
 * restarted.
 *
 * @example
 * ```ts
 * import { Controller, Get } from '@nestjs/common';
 * import { HealthCheck, HealthCheckService } from '@nestjs/terminus';
 * import { ShutdownHealthIndicator } from '@roost/health';
 *
 * @Controller('ready')
 * export class ReadinessController {
 *   constructor(
 *     private readonly health: HealthCheckService,
 *     private readonly shutdown: ShutdownHealthIndicator,
 *   ) {}
 *
 *   @Get()
 *   @HealthCheck()
 *   check() {
 *     return this.health.check([() => this.shutdown.isHealthy()]);
 *   }
 * }
 * ```
 *
 * @publicApi
 */
@Injectable()
export class ShutdownHealthIndicator {
  constructor(
    private readonly indicators: HealthIndicatorService,
    @Optional() private readonly shutdown: CoordinatedShutdown,
  ) {
    if (!shutdown) throw new HealthShutdownMissingError();
  }

  isHealthy(key = 'shutdown'): HealthIndicatorResult {
    const indicator = this.indicators.check(key);
    const { reason, booted, inFlight } = this.shutdown;
    if (reason) return indicator.down({ phase: this.#phase(), reason: textOf(reason), inFlight });
    return booted ? indicator.up() : indicator.down({ message: 'booting' });
  }

  #phase(): string {
    const phases = this.shutdown.describe();
    const running = phases.filter(({ status }) => status === 'running').map(({ name }) => name);
    if (running.length > 0) return running.join(', ');
    const pending = phases.filter(({ status }) => status === 'pending');
    if (pending.length === phases.length) return 'about to begin';
    return pending[0]?.name ?? 'shutdown hooks';
  }
}
