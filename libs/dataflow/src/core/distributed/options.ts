import { withoutUndefined } from '@roost/kernel';
import { InvalidDataflowOptionError } from '../errors/invalid-dataflow-option.error.js';
import type { Transport } from '../link/transport.js';
import { check } from '../option-checks.js';
import { DATAFLOW_OPTION_NAMES, type DataflowOptions } from '../run/options.js';
import type { GraphPlacement } from './plan.js';
import { type PayloadSerializer, plainSerializer } from './wire/serializer.js';

/** One process of a graph that is placed over several. @publicApi */
export interface ProcessOptions extends DataflowOptions {
  placement: GraphPlacement;
  /** Name of this process in the placement. */
  process: string;
  /** How processes reach each other: `tcp()`, or `nats()` of `@roost/dataflow/nats`. */
  transport: Transport;
  /** Where the process with the coordinator listens; not for NATS. With `tcp()`: `host:port`. */
  coordinatorAddress?: string;
  /** A secret that all processes share: others are refused. @default none */
  token?: string;
  /** How often an idle process tells its peers that it is alive. @default 1000 */
  heartbeatMs?: number;
  /** How long a process may be out of reach or silent before it counts as crashed. At least three heartbeats. @default 5000 */
  crashAfterMs?: number;
  /** How long to wait for all processes at the start. @default 30000 */
  joinTimeoutMs?: number;
  /** How long to wait for a crashed process whose nodes have `onCrash: 'restart'`. @default 30000 */
  restartTimeoutMs?: number;
  /** How long processes may take to agree on a stop tag before the graph is stopped by force. @default 5000 */
  agreeTimeoutMs?: number;
  /** How many messages may be under way on a connection between processes. @default 1024 */
  window?: number;
  /** The longest message in bytes. @default 16777216 */
  maxMessageBytes?: number;
  /** Called with its address when this process can be reached. */
  listening?: (address: string) => void;
  /** Writes and reads payloads. Every process must use the same. @default plainSerializer */
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

/** The compiler refuses the list when an option is missing. */
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
