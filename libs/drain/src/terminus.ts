import { Injectable } from '@nestjs/common';
import { type HealthIndicatorResult, HealthIndicatorService } from '@nestjs/terminus';
import { DrainService } from './drain.service.js';

/**
 * Terminus indicator for readiness probes. It is up with the number of in-flight requests, and down from the first
 * moment of a shutdown.
 *
 * @example
 * ```ts
 * import { Controller, Get } from '@nestjs/common';
 * import { HealthCheck, HealthCheckService } from '@nestjs/terminus';
 * import { DrainHealthIndicator } from '@roost/drain/terminus';
 *
 * @Controller('ready')
 * export class ReadinessController {
 *   constructor(
 *     private readonly health: HealthCheckService,
 *     private readonly drain: DrainHealthIndicator,
 *   ) {}
 *
 *   @Get()
 *   @HealthCheck()
 *   check() {
 *     return this.health.check([() => this.drain.isHealthy()]);
 *   }
 * }
 * ```
 *
 * @publicApi
 */
@Injectable()
export class DrainHealthIndicator {
  constructor(
    private readonly drain: DrainService,
    private readonly indicators: HealthIndicatorService,
  ) {}

  isHealthy(key = 'drain'): HealthIndicatorResult {
    const { draining, inFlight, oldest, shed } = this.drain.snapshot();
    const data = { inFlight, ...(oldest && { oldest: oldest.name, oldestMs: Math.round(oldest.ageMs) }) };
    const indicator = this.indicators.check(key);
    return draining ? indicator.down({ ...data, refused: shed }) : indicator.up(data);
  }
}
