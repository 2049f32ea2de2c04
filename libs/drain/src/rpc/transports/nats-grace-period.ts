import { formatDuration } from '@roost/time';
import { NATS, type RpcServer } from './rpc-server.js';

const DEFAULT_GRACE_PERIOD_MS = 10_000;

/**
 * Warns about the NATS option `gracefulShutdown`: Nest then sleeps for the whole period, even if all handlers have
 * finished.
 */
export function sleepWarning({ transportId, options }: RpcServer): string | undefined {
  if (transportId !== NATS) return undefined;
  const { gracefulShutdown, gracePeriod } = (options ?? {}) as { gracefulShutdown?: boolean; gracePeriod?: number };
  if (!gracefulShutdown) return undefined;
  const slept = formatDuration(gracePeriod ?? DEFAULT_GRACE_PERIOD_MS);
  return (
    `The NATS option gracefulShutdown delays every shutdown by ${slept}: Nest sleeps for the whole gracePeriod even ` +
    'after all in-flight messages have been answered. Remove the option: DrainModule waits for those messages.'
  );
}
