import { withoutUndefined } from '@roost/kernel';
import { InvalidDataflowOptionError } from '../errors/invalid-dataflow-option.error.js';
import type { Transport } from '../link/transport.js';
import { check } from '../option-checks.js';
import { DATAFLOW_OPTION_NAMES, type DataflowOptions } from '../run/options.js';
import type { GraphPlacement } from './plan.js';
import { type PayloadSerializer, plainSerializer } from './wire/serializer.js';

/** Options of one process of a graph that is placed in several processes. @publicApi */
export interface ProcessOptions extends DataflowOptions {
  placement: GraphPlacement;
  /** Name of this process in the placement. */
  process: string;
  /** Transport between the processes: `tcp()`, or `nats()` from `@roost/dataflow/nats`. */
  transport: Transport;
  /** Address of the process with the coordinator: `host:port` with `tcp()`. Not needed with NATS. */
  coordinatorAddress?: string;
  /** Secret that all processes share. Processes without it are refused. @default none */
  token?: string;
  /** Time in ms between heartbeats to peers while there is nothing else to send. @default 1000 */
  heartbeatMs?: number;
  /**
   * Time in ms that a process may be unreachable or silent before it counts as crashed. At least three heartbeats.
   * @default 5000
   */
  crashAfterMs?: number;
  /** Time in ms to wait for all processes to join. @default 30000 */
  joinTimeoutMs?: number;
  /** Time in ms to wait for the restart of a crashed process whose nodes have `onCrash: 'restart'`. @default 30000 */
  restartTimeoutMs?: number;
  /** Time in ms that partitions have to answer a stop proposal before the graph is stopped by force. @default 5000 */
  agreeTimeoutMs?: number;
  /** Maximum number of unhandled messages on a connection between processes. @default 1024 */
  window?: number;
  /** Maximum length of a message, in bytes. @default 16777216 */
  maxMessageBytes?: number;
  /** Called with the address of this process when peers can reach it. */
  listening?: (address: string) => void;
  /** Encodes and decodes payloads. Every process must use the same serializer. @default plainSerializer */
  serializer?: PayloadSerializer;
}

/** @publicApi */
export const DEFAULT_PROCESS_OPTIONS = Object.freeze({
  heartbeatMs: 1_000,
  crashAfterMs: 5_000,
  joinTimeoutMs: 30_000,
  restartTimeoutMs: 30_000,
  agreeTimeoutMs: 5_000,
  window: 1_024,
  maxMessageBytes: 16 * 1024 * 1024,
});

export type ResolvedProcessOptions = Omit<
  ProcessOptions,
  keyof DataflowOptions | keyof typeof DEFAULT_PROCESS_OPTIONS
> &
  Required<Pick<ProcessOptions, keyof typeof DEFAULT_PROCESS_OPTIONS | 'serializer'>>;

/** The compiler rejects this list if an option is missing. */
export const PROCESS_OPTION_NAMES = Object.keys({
  placement: true,
  process: true,
  transport: true,
  coordinatorAddress: true,
  token: true,
  heartbeatMs: true,
  crashAfterMs: true,
  joinTimeoutMs: true,
  restartTimeoutMs: true,
  agreeTimeoutMs: true,
  window: true,
  maxMessageBytes: true,
  listening: true,
  serializer: true,
} satisfies Record<Exclude<keyof ProcessOptions, keyof DataflowOptions>, true>);

/** @throws InvalidDataflowOptionError */
export function resolveProcessOptions(options: ProcessOptions): ResolvedProcessOptions {
  check.knownKeys(options, [...DATAFLOW_OPTION_NAMES, ...PROCESS_OPTION_NAMES]);
  const given = withoutUndefined(options) as ProcessOptions;
  const resolved = { ...DEFAULT_PROCESS_OPTIONS, serializer: plainSerializer, ...given };
  const { placement, process, transport, heartbeatMs, crashAfterMs, window } = resolved;
  if (typeof placement?.processes !== 'object' || placement.processes === null) {
    throw new InvalidDataflowOptionError(
      'placement',
      placement,
      "an object such as { processes: { left: ['source'], right: ['sink'] } }",
    );
  }
  check.knownKeys(placement, ['app', 'processes', 'coordinator'], 'placement');
  const names = [...Object.keys(placement.processes), placement.coordinator ?? 'coordinator'];
  if (!names.includes(process)) {
    throw new InvalidDataflowOptionError(
      'process',
      process,
      `the name of a process in the placement: ${names.join(', ')}`,
    );
  }
  if (typeof transport?.open !== 'function')
    throw new InvalidDataflowOptionError('transport', transport, 'tcp() or nats()');
  for (const name of ['heartbeatMs', 'crashAfterMs', 'joinTimeoutMs', 'restartTimeoutMs', 'agreeTimeoutMs'] as const) {
    check.timeout(resolved[name], name, { least: 0 });
  }
  if (crashAfterMs < 3 * heartbeatMs) {
    throw new InvalidDataflowOptionError(
      'crashAfterMs',
      crashAfterMs,
      `at least three times heartbeatMs, which is ${heartbeatMs}`,
    );
  }
  check.number(window, 'window', { least: 1, whole: true });
  return resolved;
}
