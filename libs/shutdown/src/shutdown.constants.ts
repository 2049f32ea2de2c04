/** Metadata key of `@ShutdownTask`. A fixed string, so that two installed copies share it. */
export const SHUTDOWN_TASK_METADATA = '@roost/shutdown:task';

/** The hooks that Nest calls while it closes, in order. */
export const NEST_SHUTDOWN_HOOKS = ['onModuleDestroy', 'beforeApplicationShutdown', 'onApplicationShutdown'] as const;
