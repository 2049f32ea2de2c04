import type { DataflowError } from '../../errors/dataflow.error.js';
import type { DataflowReport, NodeReport, RunStatus } from '../../report.js';
import { exitCodeOf, graphDigest } from '../../run/digests.js';
import type { Tag } from '../../time/tag.js';
import type { RunMember } from './membership.js';

interface PartitionResult {
  readonly nodes: Record<string, NodeReport>;
  readonly dataMessages: number;
}

/** Collects the final reports of all partitions and builds the report of the run. */
export class RunResult {
  readonly #byPartition = new Map<number, PartitionResult>();

  add(partition: number, result: PartitionResult): void {
    this.#byPartition.set(partition, result);
  }

  /** Whether all partitions of the member have stopped. */
  hasStopped({ partitions }: RunMember): boolean {
    return partitions.every(({ index }) => this.#byPartition.has(index));
  }

  /** @param stop undefined if the run ended before the partitions agreed on a stop tag */
  report(
    stop: { readonly tag: Tag; readonly status: RunStatus } | undefined,
    error: DataflowError | undefined,
    controlMessages: number,
  ): DataflowReport {
    const results = [...this.#byPartition.values()];
    const nodes = Object.assign({}, ...results.map((one) => one.nodes)) as Record<string, NodeReport>;
    return {
      status: error ? 'forced' : (stop?.status ?? 'stopped'),
      exitCode: exitCodeOf(error !== undefined, error),
      stopTag: error ? undefined : stop?.tag,
      digest: graphDigest(nodes),
      nodes,
      controlMessages,
      dataMessages: results.reduce((sum, { dataMessages }) => sum + dataMessages, 0),
      error: undefined,
    };
  }
}
