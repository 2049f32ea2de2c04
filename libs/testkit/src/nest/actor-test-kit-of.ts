import type { INestApplicationContext } from '@nestjs/common';
import { getActorSystemToken } from '@roost/actors';
import { ActorTestKit } from '../actor-test-kit.js';
import type { KitLimits } from '../kit-options.js';

/** @publicApi */
export interface NestKitOptions extends KitLimits {
  /** Name of the actor system. @default the default one */
  system?: string;
}

/**
 * A kit for an actor system of an application, which has to be on a `ManualClock`: see `useManualClock`.
 *
 * @param app an application, or a testing module that was compiled
 * @throws ManualClockMissingError, InvalidTestkitOptionError
 * @publicApi
 */
export function actorTestKitOf(app: INestApplicationContext, options: NestKitOptions = {}): ActorTestKit {
  const { system, ...limits } = options;
  return ActorTestKit.of(app.get(getActorSystemToken(system), { strict: false }), limits);
}
