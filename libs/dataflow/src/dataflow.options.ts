import { Logger } from '@nestjs/common';
import type { NodeModel } from './core/graph/model.js';
import { type DataflowOptions, placeInProcess, type ProcessOptions } from './core/index.js';
import { check } from './core/option-checks.js';
import type { Placement } from './core/run/dataflow.js';
import { DEFAULT_STOP_TIMEOUT_MS } from './core/shutdown-tasks.js';

/** Whether the application shuts down when the graph ends. @publicApi */
export type ExitPolicy = 'never' | 'failure' | 'always';

/** Options for the lifecycle of a graph in an application. @publicApi */
export interface DataflowLifecycleOptions {
  /** Start when the application has booted. If false, the run starts when `dataflow.run()` is called. @default true */
  autoStart?: boolean;
  /**
   * When to shut down the application and exit with the exit code of the report: if the graph was stopped by force
   * (`'failure'`), whenever the graph has ended (`'always'`), or not at all (`'never'`).
   *
   * @default 'failure' for `forRoot`, 'always' for `forNode` and `forCoordinator`
   */
  exit?: ExitPolicy;
  /** Time in ms that a shutdown gives the graph to stop before it stops the graph by force. @default 10_000 */
  stopTimeoutMs?: number;
}

/** @publicApi */
export interface DataflowModuleOptions extends DataflowOptions, DataflowLifecycleOptions {}

/** @publicApi */
export interface DataflowNodeOptions extends ProcessOptions, DataflowLifecycleOptions {}

/** @publicApi */
export type DataflowCoordinatorOptions = Omit<DataflowNodeOptions, 'process'>;

const EXIT_POLICIES: readonly ExitPolicy[] = ['never', 'failure', 'always'];

/** @publicApi */
export const DEFAULT_DATAFLOW_MODULE_OPTIONS = Object.freeze({
  autoStart: true,
  stopTimeoutMs: DEFAULT_STOP_TIMEOUT_MS,
});

/** Options of the module with all defaults applied. */
export interface ResolvedDataflowModuleOptions extends Required<Omit<DataflowLifecycleOptions, 'stopTimeoutMs'>> {
  /** Undefined if the application has not set it. Only a value that it has set lengthens the shutdown phase. */
  readonly stopTimeoutMs: number | undefined;
  /** Options of the graph itself. */
  readonly core: DataflowOptions;
  /** How nodes are placed. Undefined if all of them run in this process. */
  readonly placement: Placement | undefined;
  /** Whether a node runs in this process. */
  readonly isHere: (node: NodeModel) => boolean;
}

/** @throws InvalidDataflowOptionError */
export function resolveForRoot(options: DataflowModuleOptions): ResolvedDataflowModuleOptions {
  return { ...resolveLifecycle(options, 'failure'), placement: undefined, isHere: () => true };
}

/** @throws InvalidDataflowOptionError */
export function resolveForNode(options: DataflowNodeOptions): ResolvedDataflowModuleOptions {
  const resolved = resolveLifecycle(options, 'always');
  const placement = placeInProcess(resolved.core);
  const { processes } = options.placement;
  const here = new Set(Object.hasOwn(processes, options.process) ? processes[options.process] : []);
  return { ...resolved, placement, isHere: ({ name }) => here.has(name) };
}

/** @throws InvalidDataflowOptionError */
export const resolveForCoordinator = (options: DataflowCoordinatorOptions): ResolvedDataflowModuleOptions =>
  resolveForNode({ ...options, process: options.placement?.coordinator ?? 'coordinator' });

function resolveLifecycle<T extends DataflowOptions>(options: T & DataflowLifecycleOptions, defaultExit: ExitPolicy) {
  check.object(options, 'options');
  const { autoStart, exit, stopTimeoutMs, ...core } = options;
  const resolved = {
    autoStart: autoStart ?? DEFAULT_DATAFLOW_MODULE_OPTIONS.autoStart,
    exit: exit ?? defaultExit,
    stopTimeoutMs,
    core: { ...core, logger: core.logger ?? new Logger('Dataflow') },
  };
  check.boolean(resolved.autoStart, 'autoStart');
  check.oneOf(resolved.exit, EXIT_POLICIES, 'exit');
  if (stopTimeoutMs !== undefined) check.timeout(stopTimeoutMs, 'stopTimeoutMs', { least: 0 });
  return resolved;
}
