/** Where `@ShutdownTask` keeps its settings. A fixed string, so that two installed copies still meet. */
export const SHUTDOWN_TASK_METADATA = '@roost/shutdown:task';

/** The hooks Nest calls while it closes, in that order. */
export const NEST_SHUTDOWN_HOOKS = ['onModuleDestroy', 'beforeApplicationShutdown', 'onApplicationShutdown'] as const;
