import type { ModuleMetadata } from '@nestjs/common';
import { Test, type TestingModule, type TestingModuleBuilder } from '@nestjs/testing';
import { ActorSystemModule, type ActorSystemModuleOptions } from '@roost/actors';
import type { ManualClock } from '@roost/time/testing';
import type { ActorTestKit } from '../actor-test-kit.js';
import type { KitLimits } from '../kit-options.js';
import { seededRandom } from '../seeded-random.js';
import { actorTestKitOf } from './actor-test-kit-of.js';
import { useManualClock } from './manual-clock.js';

/** Options of `createActorTestingModule()`. @publicApi */
export interface ActorTestingModuleOptions extends ModuleMetadata, KitLimits {
  /** Options of the actor system, or `false` if `imports` contain one. @default {} */
  actors?: Omit<ActorSystemModuleOptions, 'clock'> | false;
  /** Clock of the actor systems. @default a new `ManualClock` */
  clock?: ManualClock;
  /** Called before `compile()`. Use it for `overrideProvider()`, `overrideActor()` and the like. */
  override?: (builder: TestingModuleBuilder) => void;
}

/** A running testing module and its kit. @publicApi */
export interface ActorTestingModule {
  readonly module: TestingModule;
  /** Kit for the default system. */
  readonly kit: ActorTestKit;
  /** Stops the actors, by force if necessary, and then closes the module. A stuck handler does not block it. */
  close(): Promise<void>;
}

/**
 * Creates a testing module with an actor system on a `ManualClock`, compiles and initializes it, so its actors are
 * running.
 *
 * @example
 * ```ts
 * import { Actor, ActorSystem, ActorSystemModule, Receive } from '@roost/actors';
 * import { createActorTestingModule } from '@roost/testkit/nest';
 *
 * @Actor()
 * class EchoActor {
 *   @Receive(String)
 *   echo(text: string): string {
 *     return text;
 *   }
 * }
 *
 * const { module, kit, close } = await createActorTestingModule({
 *   imports: [ActorSystemModule.forFeature([EchoActor])],
 * });
 * const echo = module.get(ActorSystem).spawn<string>(EchoActor);
 * const reply = await kit.resolve(echo.ask<string>(() => 'hi')); // 'hi'
 * await close();
 * console.log(reply);
 * ```
 *
 * @publicApi
 */
export async function createActorTestingModule(options: ActorTestingModuleOptions = {}): Promise<ActorTestingModule> {
  const { actors = {}, clock, override, realTimeoutMs, settleTimeoutMs, imports = [], ...metadata } = options;
  const root = actors ? [ActorSystemModule.forRoot({ logger: SILENT, random: seededRandom(1), ...actors })] : [];
  const builder = Test.createTestingModule({ ...metadata, imports: [...root, ...imports] });
  useManualClock(builder, clock);
  override?.(builder);
  const module = await builder.compile();
  await module.init();
  const kit = actorTestKitOf(module, { realTimeoutMs, settleTimeoutMs });
  return {
    module,
    kit,
    close: async () => {
      await kit.shutdown();
      await module.close();
    },
  };
}

const nowhere = (): void => undefined;

/** The kit records the lines, so a passing test prints nothing. */
const SILENT = { log: nowhere, warn: nowhere, error: nowhere };
