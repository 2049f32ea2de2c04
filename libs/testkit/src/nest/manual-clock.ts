import type { TestingModuleBuilder } from '@nestjs/testing';
import type { ActorSystemModuleOptions } from '@roost/actors';
import {
  ACTOR_SYSTEM_MODULE_OPTIONS,
  resolveActorSystemModuleOptions,
  RESOLVED_ACTOR_SYSTEM_OPTIONS,
  SYSTEM_DEFINITION,
} from '@roost/actors/internal';
import { ManualClock } from '@roost/time/testing';

/**
 * Puts all actor systems of the application on one `ManualClock`, whatever their own option `clock` says. To be called
 * before `compile()`.
 *
 * @param clock @default a new one
 * @returns the clock
 * @publicApi
 */
export function useManualClock(builder: TestingModuleBuilder, clock: ManualClock = new ManualClock()): ManualClock {
  builder.overrideProvider(RESOLVED_ACTOR_SYSTEM_OPTIONS).useFactory({
    factory: ({ name }: { name: string }, options?: ActorSystemModuleOptions) => ({
      ...resolveActorSystemModuleOptions(options, name),
      clock,
    }),
    // Both are provided in the module of every system.
    inject: [SYSTEM_DEFINITION, ACTOR_SYSTEM_MODULE_OPTIONS],
  });
  return clock;
}
