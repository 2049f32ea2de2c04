import type { INestApplicationContext } from '@nestjs/common';
import { getActorSystemToken } from '@roost/actors';
import { ActorTestKit } from '../actor-test-kit.js';
import type { KitLimits } from '../kit-options.js';

/** Options of `actorTestKitOf()` and `overrideActor()`. @publicApi */
export interface NestKitOptions extends KitLimits {
  /** Name of the actor system. @default the default system */
  system?: string;
}

/**
 * Creates a kit for an actor system of an application. The system must run on a `ManualClock`: see `useManualClock`.
 *
 * @example
 * ```ts
 * import { Test } from '@nestjs/testing';
 * import { ActorSystemModule } from '@roost/actors';
 * import { actorTestKitOf, useManualClock } from '@roost/testkit/nest';
 *
 * const builder = Test.createTestingModule({ imports: [ActorSystemModule.forRoot()] });
 * useManualClock(builder);
 * const module = await builder.compile();
 * await module.init();
 *
 * const kit = actorTestKitOf(module);
 * await kit.advance(60_000);
 * ```
 *
 * @param app an application, or a compiled testing module
 * @throws ManualClockMissingError, InvalidTestkitOptionError
 * @publicApi
 */
export function actorTestKitOf(app: INestApplicationContext, options: NestKitOptions = {}): ActorTestKit {
  const { system, ...limits } = options;
  return ActorTestKit.of(app.get(getActorSystemToken(system), { strict: false }), limits);
}
