import { Injectable, Optional } from '@nestjs/common';
import { type HealthIndicatorResult, HealthIndicatorService } from '@nestjs/terminus';
import { messageOf } from '@roost/kernel';
import { CoordinatedShutdown } from '@roost/shutdown';
import { ApplicationDataflow } from './application-dataflow.js';
import { Dataflow, formatTag, type NodeDescription } from './core/index.js';

/** How many nodes are listed. */
const MAX_NODES = 20;

/**
 * For readiness probes: up while the graph runs and after it has ended by itself, degraded while nodes are too far behind the
 * clock, down from the moment it is told to stop, or the application is, and after it was stopped by force.
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
