import { Injectable, Optional } from '@nestjs/common';
import { type HealthIndicatorResult, HealthIndicatorService } from '@nestjs/terminus';
import { messageOf } from '@roost/kernel';
import { CoordinatedShutdown } from '@roost/shutdown';
import { ApplicationDataflow } from './application-dataflow.js';
import { Dataflow, formatTag, type NodeDescription } from './core/index.js';

/** Maximum number of nodes in the details. */
const MAX_NODES = 20;

/**
 * Health indicator for readiness probes. It is up while the graph runs and after a run that ended normally. It is
 * degraded while nodes lag too far behind the clock. It is down as soon as an immediate stop is
 * requested from outside of the graph or the application begins to shut down, and after a stop by force. A planned stop and
 * a stop requested by a node do not count.
 *
 * @example
 * ```ts
 * import { Controller, Get } from '@nestjs/common';
 * import { HealthCheck, HealthCheckService } from '@nestjs/terminus';
 * import { DataflowHealthIndicator } from '@roost/dataflow/terminus';
 *
 * @Controller('ready')
 * export class ReadyController {
 *   constructor(
 *     private readonly health: HealthCheckService,
 *     private readonly dataflow: DataflowHealthIndicator,
 *   ) {}
 *
 *   @Get()
 *   @HealthCheck()
 *   check() {
 *     return this.health.check([() => this.dataflow.isHealthy()]);
 *   }
 * }
 * ```
 *
 * @publicApi
 */
@Injectable()
export class DataflowHealthIndicator {
  constructor(
    private readonly dataflow: Dataflow,
    private readonly indicators: HealthIndicatorService,
    @Optional() private readonly shutdown?: CoordinatedShutdown,
  ) {}

  isHealthy(key = 'dataflow'): HealthIndicatorResult {
    const { state, report } = this.dataflow;
    const { nodes: all, lagging } = this.dataflow.describe();
    const nodes = Object.fromEntries(all.slice(0, MAX_NODES).map((node) => [node.name, summaryOf(node)]));
    const details = { state, nodes, ...(all.length > MAX_NODES && { more: all.length - MAX_NODES }) };
    const indicator = this.indicators.check(key);
    if (report?.error) return indicator.down({ ...details, message: messageOf(report.error) });
    if (this.#isStopping) return indicator.down(details);
    return lagging.length > 0 ? indicator.degraded({ ...details, lagging }) : indicator.up(details);
  }

  get #isStopping(): boolean {
    const { dataflow, shutdown } = this;
    const wasStopped = dataflow instanceof ApplicationDataflow && dataflow.wasStopped;
    return wasStopped || dataflow.state === 'stopping' || shutdown?.reason !== undefined;
  }
}

const summaryOf = ({ tag, queued, lagMs }: NodeDescription) => ({
  tag: tag ? formatTag(tag) : 'none',
  queued,
  lagMs: Math.round(lagMs),
});
