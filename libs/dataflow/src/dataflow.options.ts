import { Logger } from '@nestjs/common';
import type { NodeModel } from './core/graph/model.js';
import { type DataflowOptions, placeInProcess, type ProcessOptions } from './core/index.js';
import { check } from './core/option-checks.js';
import type { Placement } from './core/run/dataflow.js';
import { DEFAULT_STOP_TIMEOUT_MS } from './core/shutdown-tasks.js';

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

const EXIT_POLICIES: readonly ExitPolicy[] = ['never', 'failure', 'always'];

/** @publicApi */
export const DEFAULT_DATAFLOW_MODULE_OPTIONS = Object.freeze({
  autoStart: true,
  stopTimeoutMs: DEFAULT_STOP_TIMEOUT_MS,
});

/** The options of a module, with every default filled in. */
export interface ResolvedDataflowModuleOptions extends Required<Omit<DataflowLifecycleOptions, 'stopTimeoutMs'>> {
  /** Undefined unless the application has chosen one: only then is the phase made longer for it. */
  readonly stopTimeoutMs: number | undefined;
  /** For the graph itself. */
  readonly core: DataflowOptions;
  /** Where its nodes run. */
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
