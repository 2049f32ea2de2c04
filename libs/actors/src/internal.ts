// Typed access to engine internals for `@roost/testkit` and this repository's tests. Not public: anything here may
// change in any release. Imports nothing from Nest.
export { ACTOR_SYSTEM_MODULE_OPTIONS, RESOLVED_ACTOR_SYSTEM_OPTIONS, SYSTEM_DEFINITION } from './actors.constants.js';
export { DEFAULT_ACTOR_SYSTEM_MODULE_OPTIONS, resolveActorSystemModuleOptions } from './actors.options.js';
export { assertActorName } from './core/cell/spawn.js';
export { internalsOf } from './core/internals.js';
export type { BehaviorInternals, PropsInternals, SystemInternals } from './core/internals.js';
export { check } from './core/option-checks.js';
export { DEFAULT_ACTOR_SYSTEM_OPTIONS } from './core/options.js';
