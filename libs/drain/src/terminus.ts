import { Injectable } from '@nestjs/common';
import { type HealthIndicatorResult, HealthIndicatorService } from '@nestjs/terminus';
import { DrainService } from './drain.service.js';

/**
 * For readiness probes: up with the number of requests in flight, down from the first moment of a shutdown.
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
