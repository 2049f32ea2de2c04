import { Logger } from '@nestjs/common';
import { MAX_TIMEOUT_MS } from '@roost/time';
import type { NodeModel } from './core/graph/model.js';
import { type DataflowOptions, InvalidDataflowOptionError, placeInProcess, type ProcessOptions } from './core/index.js';
import type { Placement } from './core/run/dataflow.js';

/** When the end of the graph is the end of the application. @publicApi */
export type ExitPolicy = 'never' | 'failure' | 'always';

/** How a graph lives in an application. @publicApi */
export interface DataflowLifecycleOptions {
  /** Begin when the application has booted. Otherwise it begins when `dataflow.run()` is called. @default true */
  autoStart?: boolean;
  /**
   * Shut the application down, and end the process with the exit code of the report, when the graph has been stopped by force
   * (`'failure'`), whenever it has ended (`'always'`), or not at all.
   *
   * @default 'failure' for `forRoot`, 'always' for `forNode` and `forCoordinator`
   */
  exit?: ExitPolicy;
  /** How long a shutdown waits for the graph to stop before that is done by force. @default 10_000 */
  stopTimeoutMs?: number;
}

/** @publicApi */
export interface DataflowModuleOptions extends DataflowOptions, DataflowLifecycleOptions {}

/** @publicApi */
export interface DataflowNodeOptions extends ProcessOptions, DataflowLifecycleOptions {}

/** @publicApi */
export type DataflowCoordinatorOptions = Omit<DataflowNodeOptions, 'process'>;

/** @publicApi */
export const DEFAULT_DATAFLOW_MODULE_OPTIONS = Object.freeze({ autoStart: true, stopTimeoutMs: 10_000 });

/** What the lifecycle of the graph goes by. */
export interface ResolvedModuleOptions extends Required<DataflowLifecycleOptions> {
  /** Whether nobody has chosen `stopTimeoutMs`: then it takes what a shutdown has left. */
  readonly isDefaultWait: boolean;
  /** For the graph itself. */
  readonly core: DataflowOptions;
  /** Where its nodes run. */
  readonly placement: Placement | undefined;
  /** Whether a node runs in this process. */
  readonly isHere: (node: NodeModel) => boolean;
}

/** @throws InvalidDataflowOptionError */
export function resolveForRoot(options: DataflowModuleOptions): ResolvedModuleOptions {
  return { ...resolveLifecycle(options, 'failure'), placement: undefined, isHere: () => true };
}

/** @throws InvalidDataflowOptionError */
export function resolveForNode(options: DataflowNodeOptions): ResolvedModuleOptions {
  const placement = placeInProcess(options);
  const { processes } = options.placement;
  const here = new Set(Object.hasOwn(processes, options.process) ? processes[options.process] : []);
  return { ...resolveLifecycle(options, 'always'), placement, isHere: ({ name }) => here.has(name) };
}

/** @throws InvalidDataflowOptionError */
export const resolveForCoordinator = (options: DataflowCoordinatorOptions): ResolvedModuleOptions =>
  resolveForNode({ ...options, process: options.placement?.coordinator ?? 'coordinator' });

function resolveLifecycle(
  { autoStart, exit, stopTimeoutMs, ...core }: DataflowModuleOptions,
  defaultExit: ExitPolicy,
): Omit<ResolvedModuleOptions, 'placement' | 'isHere'> {
  const defaults = DEFAULT_DATAFLOW_MODULE_OPTIONS;
  const resolved = {
    autoStart: autoStart ?? defaults.autoStart,
    exit: exit ?? defaultExit,
    stopTimeoutMs: stopTimeoutMs ?? defaults.stopTimeoutMs,
    isDefaultWait: stopTimeoutMs === undefined,
    core: { ...core, logger: core.logger ?? new Logger('Dataflow') },
  };
  if (typeof resolved.autoStart !== 'boolean') {
    throw new InvalidDataflowOptionError('autoStart', autoStart, 'true or false');
  }
  if (!['never', 'failure', 'always'].includes(resolved.exit)) {
    throw new InvalidDataflowOptionError('exit', exit, "'never', 'failure' or 'always'");
  }
  assertTimeout('stopTimeoutMs', resolved.stopTimeoutMs);
  return resolved;
}

function assertTimeout(option: string, value: unknown): void {
  if (typeof value === 'number' && value >= 0 && value <= MAX_TIMEOUT_MS) return;
  throw new InvalidDataflowOptionError(option, value, `a number of milliseconds from 0 to ${MAX_TIMEOUT_MS}`);
}
