/** Metadata keys and tokens. They are fixed strings, so that two installed copies of the package agree on them. */

/** Class metadata: options of `@Actor`. */
export const ACTOR_METADATA = 'roost:actors:actor';

/** Method metadata: message classes that the method handles. */
export const RECEIVE_METADATA = 'roost:actors:receive';

/** Method metadata: signal classes that the method handles. */
export const SIGNAL_METADATA = 'roost:actors:signal';

/** Class metadata: token of the class's top-level actor. A suffix names the system unless it is the default one. */
export const TOKEN_METADATA = 'roost:actors:token';

/** Prefix of a system's token; the system's name follows. */
export const SYSTEM_TOKEN = 'roost:actors:system:';

/** Token of a `forRoot` declaration. Only code that walks the modules reads it. */
export const SYSTEM_DEFINITION = 'roost:actors:system-definition';

/** Token of a `forFeature` declaration. */
export const FEATURE = 'roost:actors:feature';

/** Options as passed to the module. */
export const ACTOR_SYSTEM_MODULE_OPTIONS = 'roost:actors:module-options';

/** Options of a system, including its name. */
export const RESOLVED_ACTOR_SYSTEM_OPTIONS = 'roost:actors:resolved-options';

/** Keys under which Nest and the TypeScript compiler store the dependencies of a class. */
export const NEST_METADATA = {
  parameterTypes: 'design:paramtypes',
  parameters: 'self:paramtypes',
  properties: 'self:properties_metadata',
} as const;
