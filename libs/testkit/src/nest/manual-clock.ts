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
 * Runs all actor systems of the application on one `ManualClock`, regardless of their `clock` option. Call it before
 * `compile()`.
 *
 * @example
 * ```ts
 * import { Test } from '@nestjs/testing';
 * import { ActorSystem, ActorSystemModule } from '@roost/actors';
 * import { useManualClock } from '@roost/testkit/nest';
 *
 * const builder = Test.createTestingModule({ imports: [ActorSystemModule.forRoot()] });
 * const clock = useManualClock(builder);
 * const module = await builder.compile();
 * console.log(module.get(ActorSystem).options.clock === clock); // true
 * ```
 *
 * @param clock @default a new `ManualClock`
 * @returns the clock
 * @publicApi
 */
export function useManualClock(builder: TestingModuleBuilder, clock: ManualClock = new ManualClock()): ManualClock {
  builder.overrideProvider(RESOLVED_ACTOR_SYSTEM_OPTIONS).useFactory({
    factory: ({ name }: { name: string }, options?: ActorSystemModuleOptions) => ({
      ...resolveActorSystemModuleOptions(options, name),
      clock,
    }),
    // The module of every system provides both.
    inject: [SYSTEM_DEFINITION, ACTOR_SYSTEM_MODULE_OPTIONS],
  });
  return clock;
}
