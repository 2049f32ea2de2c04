import { formatDuration, settlesWithin } from '@roost/time';
import type { Partition } from '../engine/partition.js';
import { ReactionAbortedError } from '../errors/reaction-aborted.error.js';
import type { ResolvedDataflowOptions } from './options.js';

/** Halts partitions and runs the shutdown methods of their nodes, within a time limit. */
export async function forceWithin(
  { clock, forceTimeoutMs, logger }: Pick<ResolvedDataflowOptions, 'clock' | 'forceTimeoutMs' | 'logger'>,
  partitions: readonly Partition[],
  abort: AbortController,
): Promise<void> {
  for (const partition of partitions) partition.halt();
  // The user's code that runs next may fail again. It must not run inside the reaction that has failed.
  await Promise.resolve();
  abort.abort(new ReactionAbortedError());
  const done = Promise.all(partitions.map((partition) => partition.shutDown()));
  if (!(await settlesWithin(done, forceTimeoutMs, clock))) {
    logger.error(
      `the shutdown methods of some nodes did not finish within ${formatDuration(forceTimeoutMs)}. The stop by force continues without them`,
    );
  }
}
