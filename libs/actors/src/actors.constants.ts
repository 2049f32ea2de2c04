/** Metadata keys and tokens. Fixed strings, so that two installed copies still meet. */

/** On a class: the options of `@Actor`. */
export const ACTOR_METADATA = 'roost:actors:actor';

/** On a method: the classes of messages it handles. */
export const RECEIVE_METADATA = 'roost:actors:receive';

/** On a method: the classes of signals it handles. */
export const SIGNAL_METADATA = 'roost:actors:signal';

/** On a class: the token of its top-level actor; with the name of a system appended, that of the one there. */
export const TOKEN_METADATA = 'roost:actors:token';

/** Followed by the name: what provides that system. */
export const SYSTEM_TOKEN = 'roost:actors:system:';

/** Provides what a `forRoot` has declared; of interest only to who walks the modules. */
export const SYSTEM_DEFINITION = 'roost:actors:system-definition';

/** The same for a `forFeature`. */
export const FEATURE = 'roost:actors:feature';

/** The options that a module was given. */
export const ACTOR_SYSTEM_MODULE_OPTIONS = 'roost:actors:module-options';

/** The options of a system, with its name. */
export const RESOLVED_ACTOR_SYSTEM_OPTIONS = 'roost:actors:resolved-options';

/** Where Nest and the compiler keep what a class wants injected. */
export const NEST_METADATA = {
  parameterTypes: 'design:paramtypes',
  parameters: 'self:paramtypes',
  properties: 'self:properties_metadata',
} as const;
