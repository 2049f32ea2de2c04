export * from './core/index.js';
export { DataflowEndedReason } from './dataflow-ended.reason.js';
export { DataflowModule } from './dataflow.module.js';
export { DEFAULT_DATAFLOW_MODULE_OPTIONS } from './dataflow.options.js';
export type {
  DataflowCoordinatorOptions,
  DataflowLifecycleOptions,
  DataflowModuleOptions,
  DataflowNodeOptions,
  ExitPolicy,
} from './dataflow.options.js';
export { dataflowMicroservice, DataflowServer } from './dataflow.server.js';
export { DataflowRefusedError } from './errors/dataflow-refused.error.js';
export { launchDataflow } from './launch.js';
export type { LaunchDataflowOptions, LaunchReport } from './launch.js';
