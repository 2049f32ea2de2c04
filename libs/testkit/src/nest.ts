export { actorTestKitOf } from './nest/actor-test-kit-of.js';
export type { NestKitOptions } from './nest/actor-test-kit-of.js';
export { createActorTestingModule } from './nest/create-actor-testing-module.js';
export type { ActorTestingModule, ActorTestingModuleOptions } from './nest/create-actor-testing-module.js';
export { ActorNotInjectedError } from './errors/actor-not-injected.error.js';
export { useManualClock } from './nest/manual-clock.js';
export { overrideActor } from './nest/override-actor.js';
export type { ActorOverride } from './nest/override-actor.js';
