import { ActorContext, ActorSystem, Behavior } from '@roost/actors/core';
import { ManualClock } from '@roost/time/testing';
import fc from 'fast-check';
import { BehaviorTestKit } from './behavior-test-kit.js';
import { TestContext } from './test-context.js';
import { TestTimers } from './test-timers.js';

const membersOf = (prototype: object): string[] => Object.getOwnPropertyNames(prototype).sort();
const silent = Behavior.receive<unknown>(() => undefined);

/** Returns the error that each of the two throws, if any. */
const outcomeOf = (run: () => unknown): string => {
  try {
    run();
    return 'fine';
  } catch (error) {
    return (error as Error).name;
  }
};

describe('TestContext', () => {
  it('has the members of ActorContext and no others', () => {
    expect(membersOf(TestContext.prototype)).toEqual(membersOf(ActorContext.prototype));
  });

  it('has timers with the members of ActorTimers and no others', async () => {
    const system = new ActorSystem({ clock: new ManualClock() });
    let timers: object = {};
    system.spawn(
      Behavior.setup((ctx) => {
        timers = ctx.timers;
        return silent;
      }),
    );
    await system.shutdown();

    expect(membersOf(TestTimers.prototype)).toEqual(membersOf(Object.getPrototypeOf(timers) as object));
  });

  it('accepts the same names as a system', async () => {
    const system = new ActorSystem({ clock: new ManualClock() });
    const char = fc.constantFrom('a', 'ä', '$', '/', '?', '#', ' ', '\n', '\u0000', '-', '💡');
    const name = fc.oneof(
      fc.string(),
      fc.string({ unit: char, maxLength: 4 }),
      fc.constantFrom('', 'x'.repeat(255), 'x'.repeat(256)),
    );
    fc.assert(
      fc.property(name, (given) => {
        const kit = BehaviorTestKit.create(silent);
        const real = outcomeOf(() => system.spawn(silent, given).stop());
        expect(outcomeOf(() => kit.context.spawn(silent, given))).toBe(
          real === 'DuplicateActorNameError' ? 'fine' : real,
        );
      }),
      { numRuns: 300 },
    );
    await system.shutdown();
  });

  it('accepts the same durations as a system', async () => {
    const system = new ActorSystem({ clock: new ManualClock() });
    const times: number[] = [-1, 0, 0.5, 1, 2 ** 31 - 1, 2 ** 31, NaN, Infinity, '5' as unknown as number];
    let real!: ActorContext<string>;
    system.spawn(Behavior.setup<string>((ctx) => ((real = ctx), silent)));
    await new Promise((resolve) => setImmediate(resolve));
    const fake = BehaviorTestKit.create<string>(silent).context;
    const all = (ctx: ActorContext<string>) =>
      times.flatMap((ms) => [
        outcomeOf(() => ctx.timers.once('k', 'm', ms)),
        outcomeOf(() => ctx.timers.fixedDelay('k', 'm', ms)),
        outcomeOf(() => ctx.timers.fixedDelay('k', 'm', 1, ms)),
        outcomeOf(() => ctx.timers.fixedRate('k', 'm', ms)),
        outcomeOf(() => ctx.timers.fixedRate('k', 'm', 1, ms)),
        outcomeOf(() => ctx.setReceiveTimeout(ms)),
      ]);

    expect(all(fake)).toEqual(all(real));
    expect(new Set(all(fake)).size).toBe(2);
    await system.shutdown();
  });
});
