import { formatDuration } from '@roost/time';
import { NATS, type RpcServer } from './rpc-server.js';

const DEFAULT_GRACE_PERIOD_MS = 10_000;

/** With this option Nest does not watch its handlers: it sleeps, however early they are done. */
export function sleepWarning({ transportId, options }: RpcServer): string | undefined {
  if (transportId !== NATS) return undefined;
  const { gracefulShutdown, gracePeriod } = (options ?? {}) as { gracefulShutdown?: boolean; gracePeriod?: number };
  if (!gracefulShutdown) return undefined;
  const slept = formatDuration(gracePeriod ?? DEFAULT_GRACE_PERIOD_MS);
  return (
    `NATS option gracefulShutdown makes every stop ${slept} longer: Nest sleeps for the whole gracePeriod after the ` +
    'messages in flight have been answered. Leave it out, DrainModule does its work.'
  );
}
