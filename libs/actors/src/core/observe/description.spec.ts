import { deferred } from '@roost/kernel';
import { recorder, settle, testSystem } from '../actor-system.fixture.js';
import { Behavior } from '../behavior.js';
import type { ActorDescription } from './description.js';
import { PostStop } from '../signals.js';
import { Suspend } from '../system-messages.js';

describe('describe()', () => {
  it('describes a system without actors', () => {
    expect(testSystem().system.describe()).toEqual({
      name: 'user',
      path: '/user',
      state: 'running',
      mailbox: 0,
      stashed: 0,
      restarts: 0,
      children: [],
    });
  });

  it('describes the tree with states, mailboxes, stashes and restarts, as plain data', async () => {
    const { system } = testSystem();
    const ending = deferred();
    const parent = system.spawn(
      Behavior.setup<string>((ctx) => {
        ctx.spawn(recorder(), 'child');
        ctx.spawn(recorder());
        return Behavior.receive<string>((own, message) => {
          if (message === 'fail') throw new Error('restart me');
          own.stash();
        });
      }),
      'parent',
    );
    parent.tell('fail');
    parent.tell('stashed');
    await settle();
    const suspended = system.spawn(recorder(), 'suspended');
    suspended.tell(Suspend);
    suspended.tell(1);
    suspended.tell(2);
    const stopping = system.spawn(
      Behavior.receive(() => undefined).onSignal((_ctx, signal) => {
        if (signal instanceof PostStop) return ending.promise;
      }),
      'stopping',
    );
    stopping.stop();
    await settle();
    system.spawn(
      Behavior.setup(() => Behavior.receive(() => undefined)),
      'starting',
    );

    const described = system.describe();
    expect(JSON.parse(JSON.stringify(described))).toEqual(described);
    expect(described.children).toMatchObject([
      {
        name: 'parent',
        path: '/user/parent',
        state: 'running',
        mailbox: 0,
        stashed: 1,
        restarts: 1,
        children: [
          { path: '/user/parent/child' },
          { path: expect.stringMatching(/^\/user\/parent\/\$\d+$/) as string },
        ],
      },
      { name: 'suspended', state: 'suspended', mailbox: 2, stashed: 0, restarts: 0 },
      { name: 'stopping', state: 'stopping' },
      { name: 'starting', state: 'starting' },
    ]);
    ending.resolve();
    await settle();
    expect(system.describe().children.map(({ name }) => name)).toEqual(['parent', 'suspended', 'starting']);
  });

  it('describes a tree that is deeper than the stack', async () => {
    const { system } = testSystem();
    const depth = 3_000;
    const nested = (level: number): Behavior<unknown> =>
      Behavior.setup((ctx) => {
        if (level > 0) ctx.spawn(nested(level - 1), 'n');
        return Behavior.receive(() => undefined);
      });
    system.spawn(nested(depth), 'n');
    await settle(20);
    let deepest: ActorDescription | undefined = system.describe();
    let levels = 0;
    while ((deepest = deepest.children[0])) levels++;

    expect(levels).toBe(depth + 1);
  });
});
