import { formatDuration, settlesWithin } from '@roost/time';
import type { Partition } from '../engine/partition.js';
import { ReactionAbortedError } from '../errors/reaction-aborted.error.js';
import type { ResolvedDataflowOptions } from './options.js';

/** Stops partitions at once, and gives what their nodes do at shutdown a limited time. */
export async function forceWithin(
  { clock, forceTimeoutMs, logger }: Pick<ResolvedDataflowOptions, 'clock' | 'forceTimeoutMs' | 'logger'>,
  partitions: readonly Partition[],
  abort: AbortController,
): Promise<void> {
  for (const partition of partitions) partition.halt();
  // What comes now is code of users, and may fail again. It does not belong into the reaction that has failed.
  await Promise.resolve();
  abort.abort(new ReactionAbortedError());
  const done = Promise.all(partitions.map((partition) => partition.shutDown()));
  if (!(await settlesWithin(done, forceTimeoutMs, clock))) {
    logger.error(
      `the shutdown methods of some nodes did not finish within ${formatDuration(forceTimeoutMs)}. The stop by force continues without them`,
    );
  }
}
