import { setImmediate as turn } from 'node:timers/promises';
import { inspect } from 'node:util';
import { deferred } from '@roost/kernel';
import { ManualClock } from '@roost/time/testing';
import { internalsOf } from '../internals.js';
import { ActorSystem } from '../actor-system.js';
import { Behavior } from '../behavior.js';

describe('ActorSystem.activity', () => {
  it('lists actors with unsettled handlers, anywhere in the tree, until they settle', async () => {
    const system = new ActorSystem({ clock: new ManualClock() });
    const handled = deferred();
    const waiting = Behavior.receive<string>(() => handled.promise);
    system.spawn(
      Behavior.setup<string>((ctx) => (ctx.spawn<string>(waiting, 'child').tell('go'), waiting)),
      'parent',
    );
    await turn();

    expect(internalsOf(system).activity()).toEqual({
      awaiting: [{ path: '/user/parent/child', handling: 'string' }],
      openPipes: 0,
    });
    handled.resolve();
    await turn();
    expect(internalsOf(system).activity()).toEqual({ awaiting: [], openPipes: 0 });
    await system.shutdown();
  });

  it('counts pipeToSelf promises, however they settle', async () => {
    const system = new ActorSystem({ clock: new ManualClock() });
    const settle: (() => void)[] = [];
    system.spawn(
      Behavior.setup<string>((ctx) => {
        const pending = <T>(end: (resolve: (value: T) => void, reject: (error: Error) => void) => void) =>
          new Promise<T>((resolve, reject) => settle.push(() => end(resolve, reject)));
        ctx.pipeToSelf(
          pending<string>((resolve) => resolve('a')),
          String,
        );
        ctx.pipeToSelf(
          pending<string>((_resolve, reject) => reject(new Error('b'))),
          String,
          String,
        );
        return Behavior.receive(() => undefined);
      }),
    );
    await turn();

    expect(internalsOf(system).activity().openPipes).toBe(2);
    for (const end of settle) end();
    await turn();
    expect(internalsOf(system).activity().openPipes).toBe(0);
    await system.shutdown();
  });
});

describe('an ActorRef', () => {
  it('prints as its path, not as the system behind it', async () => {
    const system = new ActorSystem({ clock: new ManualClock() });
    const seen: string[] = [];
    const ref = system.spawn(
      Behavior.receive<string>((ctx) => {
        seen.push(inspect(ctx.self), inspect(ctx.sender), inspect(ctx.messageAdapter(String)));
        ctx.reply('ok');
      }),
      'cart',
    );

    await ref.ask(() => 'go');

    expect(seen).toEqual(['ActorRef(/user/cart)', 'ActorRef(/user/cart?ask)', 'ActorRef(/user/cart, adapted)']);
    await system.shutdown();
  });
});
