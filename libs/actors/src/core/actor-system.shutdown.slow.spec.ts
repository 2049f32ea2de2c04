import { deferred } from '@roost/kernel';
import { advance, recorder, settleUntil, testSystem } from './actor-system.fixture.js';
import { Behavior } from './behavior.js';
import type { Step } from './scripted-actor.fixture.js';
import { PostStop, PreStart } from './signals.js';

const never = new Promise<never>(() => undefined);
const forEver: Step = () => never;
const quiet = { log: () => undefined, warn: () => undefined, error: () => undefined };

describe('ActorSystem.shutdown of large trees', () => {
  const COUNT = 100_000;

  /** Creates a chain in which each actor has one child. */
  const chain = (depth: number, seen: { stopped: number }, leaf?: Step): Behavior<Step> => {
    const level = (left: number): Behavior<Step> =>
      Behavior.setup<Step>((ctx) => {
        if (left > 1) ctx.spawn(level(left - 1), 'c');
        else if (leaf) ctx.self.tell(leaf);
        return Behavior.receive<Step>((own, step) => step(own)).onSignal((_own, signal) => {
          if (signal instanceof PostStop) seen.stopped++;
        });
      });
    return level(depth);
  };

  const wide = (seen: { started: number; stopped: number }): Behavior<Step> =>
    Behavior.setup<Step>((ctx) => {
      const child = recorder<never>().onSignal((_own, signal) => {
        if (signal instanceof PreStart) seen.started++;
        if (signal instanceof PostStop) seen.stopped++;
      });
      for (let i = 0; i < COUNT; i++) ctx.spawn(child);
      return Behavior.receive<Step>((own, step) => step(own));
    });

  it('stops a chain of 100,000 levels', async () => {
    const { system } = testSystem({ logger: quiet });
    const seen = { stopped: 0 };
    system.spawn(chain(COUNT, seen), 'c');

    expect(await system.shutdown()).toMatchObject({ status: 'completed' });
    expect(seen.stopped).toBe(COUNT);
  }, 30_000);

  it('force-stops a chain of 100,000 levels bottom-up', async () => {
    const { system, clock } = testSystem({ logger: quiet });
    const seen = { stopped: 0 };
    const stuck = deferred();
    system.spawn(
      chain(COUNT, seen, () => (stuck.resolve(), never)),
      'c',
    );
    await stuck.promise;

    const ended = system.shutdown(1_000);
    await advance({ clock }, 1_000);

    const { status, forced } = await ended;
    expect([status, forced.length, seen.stopped]).toEqual(['forced', COUNT, COUNT]);
    expect(forced.at(-1)).toBe('/user/c');
    expect(forced.at(-3)).toBe('/user/c/c/c');
  }, 30_000);

  it('stops 100,000 children', async () => {
    const { system } = testSystem({ logger: quiet });
    const seen = { started: 0, stopped: 0 };
    system.spawn(wide(seen), 'parent');

    expect(await system.shutdown()).toMatchObject({ status: 'completed' });
    expect(seen.stopped).toBe(COUNT);
  }, 30_000);

  it('force-stops 100,000 children', async () => {
    const { system, clock } = testSystem({ logger: quiet });
    const seen = { started: 0, stopped: 0 };
    const parent = system.spawn(wide(seen), 'parent');
    parent.tell(forEver);
    await settleUntil(() => seen.started === COUNT);

    const ended = system.shutdown(1_000);
    await advance({ clock }, 1_000);

    expect((await ended).forced).toHaveLength(COUNT + 1);
    expect(seen.stopped).toBe(COUNT);
  }, 30_000);
});
