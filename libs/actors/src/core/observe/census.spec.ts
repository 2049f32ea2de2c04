import { internalsOf } from '../internals.js';
import { settle, testSystem } from '../actor-system.fixture.js';
import { Behavior } from '../behavior.js';
import { Suspend } from '../system-messages.js';

describe('census', () => {
  it('counts actors on all levels and their messages, and finds the deepest mailbox', async () => {
    const { system } = testSystem();
    expect(internalsOf(system).census()).toEqual({ actors: 0, messages: 0, deepestMailbox: undefined });

    const idle = Behavior.receive<string>(() => undefined);
    const top = system.spawn<string>(
      Behavior.setup((ctx) => {
        for (const name of ['a', 'b']) ctx.spawn(idle, name).tell(Suspend);
        return idle;
      }),
      'top',
    );
    await settle();
    expect(internalsOf(system).census()).toEqual({ actors: 3, messages: 0, deepestMailbox: undefined });

    system.lookup('/user/top/a')!.tell('x');
    for (const message of ['x', 'y']) system.lookup('/user/top/b')!.tell(message);
    expect(internalsOf(system).census()).toEqual({
      actors: 3,
      messages: 3,
      deepestMailbox: { path: '/user/top/b', size: 2 },
    });

    top.stop();
    await system.shutdown();
    expect(internalsOf(system).census()).toEqual({ actors: 0, messages: 0, deepestMailbox: undefined });
  });
});
