import type { ModuleMetadata } from '@nestjs/common';
import { Test, type TestingModule, type TestingModuleBuilder } from '@nestjs/testing';
import { ActorSystemModule, type ActorSystemModuleOptions } from '@roost/actors';
import type { ManualClock } from '@roost/time/testing';
import type { ActorTestKit } from '../actor-test-kit.js';
import type { KitLimits } from '../kit-options.js';
import { seededRandom } from '../seeded-random.js';
import { actorTestKitOf } from './actor-test-kit-of.js';
import { useManualClock } from './manual-clock.js';

/** @publicApi */
export interface ActorTestingModuleOptions extends ModuleMetadata, KitLimits {
  /** Options of the actor system. `false` when `imports` have one of their own. @default {} */
  actors?: Omit<ActorSystemModuleOptions, 'clock'> | false;
  /** @default a new one */
  clock?: ManualClock;
  /** Called before `compile()`: the place for `overrideProvider()`, `overrideActor()` and so on. */
  override?: (builder: TestingModuleBuilder) => void;
}

/** @publicApi */
export interface ActorTestingModule {
  readonly module: TestingModule;
  /** Of the default system. */
  readonly kit: ActorTestKit;
  /** Ends the actors, by force if need be, then the module. Also what is stuck does not hold it. */
  close(): Promise<void>;
}

/**
 * A testing module with an actor system on a `ManualClock`, compiled and initialised, so its actors are running.
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

/** The kit keeps the lines; a test that passes prints nothing. */
const SILENT = { log: nowhere, warn: nowhere, error: nowhere };
