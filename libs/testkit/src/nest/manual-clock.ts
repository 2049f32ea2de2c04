import { type ActorSystemModuleOptions, DEFAULT_ACTOR_SYSTEM_MODULE_OPTIONS } from '@roost/actors';
import type { TestingModuleBuilder } from '@nestjs/testing';
import { ManualClock } from '@roost/time/testing';

/** Tokens of `ActorSystemModule`, each of them provided in the module of every system. */
const RESOLVED_OPTIONS = 'roost:actors:resolved-options';
const SYSTEM_DEFINITION = 'roost:actors:system-definition';
const MODULE_OPTIONS = 'ACTOR_SYSTEM_MODULE_OPTIONS';

/**
 * Puts all actor systems of the application on one `ManualClock`, whatever their own option `clock` says. To be called
 * before `compile()`.
 *
 * @param clock @default a new one
 * @returns the clock
 * @publicApi
 */
export function useManualClock(builder: TestingModuleBuilder, clock: ManualClock = new ManualClock()): ManualClock {
  builder.overrideProvider(RESOLVED_OPTIONS).useFactory({
    factory: ({ name }: { name: string }, options?: ActorSystemModuleOptions) => ({
      ...DEFAULT_ACTOR_SYSTEM_MODULE_OPTIONS,
      ...options,
      name,
      clock,
    }),
    inject: [SYSTEM_DEFINITION, MODULE_OPTIONS],
  });
  return clock;
}
