import { Injectable } from '@nestjs/common';
import { type HealthIndicatorResult, HealthIndicatorService } from '@nestjs/terminus';
import { type WorkerDescription, Workers } from './core/index.js';

/**
 * Terminus indicator for background processes. It is down when a process is in a crash loop or will not be restarted,
 * and degraded while a process waits for its restart. A shutdown does not affect it, so it also fits a liveness probe.
 *
 * @example
 * ```ts
 * import { Controller, Get } from '@nestjs/common';
 * import { HealthCheck, HealthCheckService } from '@nestjs/terminus';
 * import { WorkersHealthIndicator } from '@roost/workers/terminus';
 *
 * @Controller('ready')
 * export class ReadinessController {
 *   constructor(
 *     private readonly health: HealthCheckService,
 *     private readonly workers: WorkersHealthIndicator,
 *   ) {}
 *
 *   @Get()
 *   @HealthCheck()
 *   check() {
 *     return this.health.check([() => this.workers.isHealthy()]);
 *   }
 * }
 * ```
 *
 * @publicApi
 */
@Injectable()
export class WorkersHealthIndicator {
  constructor(
    private readonly workers: Workers,
    private readonly indicators: HealthIndicatorService,
  ) {}

  isHealthy(key = 'workers'): HealthIndicatorResult {
    const all = this.workers.describe();
    const namesOf = (matches: (worker: WorkerDescription) => boolean) => all.filter(matches).map(({ name }) => name);
    const processes = Object.fromEntries(all.map((worker) => [worker.name, summaryOf(worker)]));
    const failed = namesOf(({ state }) => state === 'failed');
    const crashLoops = namesOf(({ state, crashLoop }) => crashLoop && state !== 'failed' && state !== 'stopped');
    const restarting = namesOf(({ state }) => state === 'restarting');
    const indicator = this.indicators.check(key);
    if (failed.length + crashLoops.length > 0) return indicator.down({ processes, failed, crashLoops });
    return restarting.length > 0 ? indicator.degraded({ processes, restarting }) : indicator.up({ processes });
  }
}

const summaryOf = ({ state, steps, restarts, lastError, inFlight, sinceMs }: WorkerDescription) => ({
  state,
  sinceMs: Math.round(sinceMs),
  steps,
  restarts,
  inFlight,
  ...(lastError !== undefined && { lastError }),
});
