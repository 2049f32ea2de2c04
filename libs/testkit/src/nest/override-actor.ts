import type { TestingModuleBuilder } from '@nestjs/testing';
import { type ActorClass, type ActorSystem, getActorSystemToken, getActorToken } from '@roost/actors';
import { ActorTestKit } from '../actor-test-kit.js';
import { ActorNotInjectedError } from '../errors/actor-not-injected.error.js';
import type { TestProbe } from '../test-probe.js';
import type { NestKitOptions } from './actor-test-kit-of.js';

/** @publicApi */
export interface ActorOverride<M> {
  /**
   * What is injected in place of the actor.
   *
   * @throws ActorNotInjectedError before the module is compiled, and when nothing has the actor injected
   */
  readonly probe: TestProbe<M>;
}

/**
 * Has a probe injected wherever the application says `@InjectActor(type)`, so that what it sends can be expected and
 * answered. To be called before `compile()`, and together with `useManualClock`. With `system`, only where
 * `@InjectActor(type, system)` says so too.
 *
 * Only what is injected is replaced: actors that are spawned by their class, with `spawn()` or `spawn: 'bootstrap'`, are
 * the real ones.
 *
 * @publicApi
 */
export function overrideActor<M = unknown>(
  builder: TestingModuleBuilder,
  type: ActorClass,
  options: NestKitOptions = {},
): ActorOverride<M> {
  const { system: systemName, ...limits } = options;
  let probe: TestProbe<M> | undefined;
  builder.overrideProvider(getActorToken(type, systemName)).useFactory({
    // Called for everybody who injects it.
    factory: (system: ActorSystem) =>
      (probe ??= ActorTestKit.of(system, limits).createProbe<M>(`probe-${type.name}`)).ref,
    inject: [getActorSystemToken(systemName)],
  });
  return {
    get probe() {
      if (!probe) throw new ActorNotInjectedError(type.name);
      return probe;
    },
  };
}
