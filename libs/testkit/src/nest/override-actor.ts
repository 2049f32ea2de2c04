import type { TestingModuleBuilder } from '@nestjs/testing';
import { type ActorClass, type ActorSystem, getActorSystemToken, getActorToken } from '@roost/actors';
import { ActorTestKit } from '../actor-test-kit.js';
import { ActorNotInjectedError } from '../errors/actor-not-injected.error.js';
import type { TestProbe } from '../test-probe.js';
import type { NestKitOptions } from './actor-test-kit-of.js';

/** Result of `overrideActor()`. @publicApi */
export interface ActorOverride<M> {
  /**
   * The probe that is injected in place of the actor.
   *
   * @throws ActorNotInjectedError before the module is compiled, and if nothing injects the actor
   */
  readonly probe: TestProbe<M>;
}

/**
 * Injects a probe wherever the application uses `@InjectActor(type)`, so that a test can expect and answer its
 * messages. Call it before `compile()`, together with `useManualClock`. With `system`, it replaces only
 * `@InjectActor(type, system)`.
 *
 * Only injected actors are replaced. Actors spawned by class, with `spawn()` or `spawn: 'bootstrap'`, are the real
 * ones.
 *
 * @example
 * ```ts
 * import { Injectable } from '@nestjs/common';
 * import { Actor, type ActorRef, ActorSystemModule, InjectActor } from '@roost/actors';
 * import { type ActorOverride, createActorTestingModule, overrideActor } from '@roost/testkit/nest';
 *
 * @Actor()
 * class MailActor {}
 *
 * @Injectable()
 * class SignUp {
 *   constructor(@InjectActor(MailActor) private readonly mail: ActorRef<string>) {}
 *
 *   register(email: string): void {
 *     this.mail.tell(email);
 *   }
 * }
 *
 * let mail: ActorOverride<string> | undefined;
 * const { module, close } = await createActorTestingModule({
 *   imports: [ActorSystemModule.forFeature([MailActor])],
 *   providers: [SignUp],
 *   override: (builder) => {
 *     mail = overrideActor<string>(builder, MailActor);
 *   },
 * });
 * module.get(SignUp).register('ada@example.com');
 * await mail?.probe.expectMessage('ada@example.com');
 * await close();
 * ```
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
    // Called for every injection.
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
