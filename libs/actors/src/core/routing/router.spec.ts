import { deferred } from '@roost/kernel';
import { recorder, settle, testSystem } from '../actor-system.fixture.js';
import type { ActorRef } from '../actor-ref.js';
import { Behavior } from '../behavior.js';
import { InvalidActorOptionError } from '../errors/invalid-actor-option.error.js';
import { Props } from '../props.js';
import { Kill, Suspend } from '../system-messages.js';
import { Router } from './router.js';
import { broadcast, consistentHash, random, roundRobin, smallestMailbox } from './routing-strategy.js';

/** Records `name message`, answers an ask with its name, fails on `fail` and stops on `stop`. */
const worker = (log: string[]): Behavior<string> =>
  Behavior.receive<string>((ctx, message) => {
    if (message === 'fail') throw new Error('asked to');
    if (message === 'stop') return Behavior.stopped();
    log.push(`${ctx.name} ${message}`);
    if (ctx.sender) ctx.reply(ctx.name);
  });

describe('a message that cannot be routed', () => {
  it('becomes a dead letter, and the routees stay', async () => {
    const { system, deadLetters, logger } = testSystem();
    const log: string[] = [];
    const keyOf = (message: string): string => {
      if (message === 'bad') throw new Error('no key');
      return message;
    };
    const router = system.spawn(Router.pool({ size: 1, routee: worker(log), strategy: consistentHash(keyOf) }), 'pool');
    for (const message of ['a', 'bad', 'b']) router.tell(message);
    await settle();

    expect(log).toEqual(['routee-1 a', 'routee-1 b']);
    expect(deadLetters).toMatchObject([{ message: 'bad', recipient: '/user/pool', reason: 'unhandled' }]);
    expect(logger.lines.join()).toContain('no key');
    expect(system.restarts).toBe(0);
  });
});

describe('Router.pool', () => {
  it('spawns its own routees and uses them in turn', async () => {
    const { system } = testSystem();
    const log: string[] = [];
    const router = system.spawn(Router.pool({ size: 3, routee: worker(log) }), 'pool');
    for (const message of ['a', 'b', 'c', 'd']) router.tell(message);
    await settle();

    expect(log.sort()).toEqual(['routee-1 a', 'routee-1 d', 'routee-2 b', 'routee-3 c']);
    expect(system.lookup('/user/pool/routee-3')).toBeDefined();
  });

  it('supports ask: the routee replies', async () => {
    const { system } = testSystem();
    const router = system.spawn(Router.pool({ size: 2, routee: worker([]) }));

    await expect(Promise.all([1, 2, 3].map(() => router.ask(() => 'who?')))).resolves.toEqual([
      'routee-1',
      'routee-2',
      'routee-1',
    ]);
  });

  it('rejects an ask at once when the routee throws or does not handle it', async () => {
    const { system } = testSystem();
    const routee = Behavior.receive<string>((_ctx, message) => {
      if (message === 'fail') throw new RangeError('asked to');
      return Behavior.unhandled();
    });
    const router = system.spawn(Router.pool({ size: 1, routee }));

    await expect(router.ask(() => 'fail')).rejects.toThrow(RangeError);
    await expect(router.ask(() => 'what')).rejects.toMatchObject({ reason: 'unhandled' });
  });

  it('handles all messages sent before it was stopped, however slow the routees are', async () => {
    const { system, deadLetters } = testSystem();
    let handled = 0;
    const routee = Behavior.receive<number>(async () => {
      await Promise.resolve();
      handled++;
    });
    const router = system.spawn(Router.pool({ size: 4, routee }));
    for (let n = 0; n < 1_000; n++) router.tell(n);
    router.stop();
    router.tell(-1);
    await router.whenTerminated();

    expect(handled).toBe(1_000);
    expect(deadLetters).toHaveLength(1);
  });

  it('turns remaining messages into dead letters when it is killed', async () => {
    const { system, deadLetters } = testSystem();
    const busy = deferred();
    let handled = 0;
    const routee = Behavior.receive<number>(async () => {
      handled++;
      await busy.promise;
    });
    const router = system.spawn(Router.pool({ size: 2, routee }));
    for (let n = 0; n < 10; n++) router.tell(n);
    await settle();
    router.tell(Kill);
    busy.resolve();
    await router.whenTerminated();

    expect([handled, deadLetters.length]).toEqual([2, 8]);
  });

  it('supervises its routees: a failed one is restarted and stays in the pool', async () => {
    const { system } = testSystem();
    const log: string[] = [];
    const router = system.spawn(Router.pool({ size: 2, routee: worker(log) }), 'pool');
    for (const message of ['fail', 'a', 'b', 'c']) router.tell(message);
    await settle();

    expect(log.sort()).toEqual(['routee-1 b', 'routee-2 a', 'routee-2 c']);
    expect(system.restarts).toBe(1);
  });

  it('continues without a stopped routee, and stops with the last one', async () => {
    const { system, deadLetters } = testSystem();
    const log: string[] = [];
    const router = system.spawn(Router.pool({ size: 2, routee: worker(log) }), 'pool');
    router.tell('stop');
    await settle();
    router.tell('a');
    router.tell('b');
    await settle();
    expect(log).toEqual(['routee-2 a', 'routee-2 b']);
    router.tell('stop');
    await router.whenTerminated();
    router.tell('c');

    expect(deadLetters).toMatchObject([{ message: 'c', reason: 'stopped' }]);
  });

  it('accepts Props and any strategy', async () => {
    const { system } = testSystem({ random: () => 0.9 });
    const used = async (strategy: ReturnType<typeof roundRobin<string>>): Promise<string[]> => {
      const log: string[] = [];
      const router = system.spawn(Router.pool({ size: 3, routee: Props.of(worker(log)), strategy }));
      router.tell('x');
      router.tell('x');
      await settle();
      return log.map((line) => line.split(' ')[0]!).sort();
    };

    expect(await used(roundRobin())).toEqual(['routee-1', 'routee-2']);
    expect(await used(random())).toEqual(['routee-3', 'routee-3']);
    expect(await used(broadcast())).toEqual([1, 1, 2, 2, 3, 3].map((n) => `routee-${n}`));
    expect(await used(smallestMailbox())).toEqual(['routee-1', 'routee-2']);
    expect(new Set(await used(consistentHash((message) => message))).size).toBe(1);
  });

  it('answers an ask with the first reply of a broadcast; later ones become dead letters', async () => {
    const { system, deadLetters } = testSystem();
    const router = system.spawn(Router.pool({ size: 3, routee: worker([]), strategy: broadcast() }));

    await expect(router.ask(() => 'who?')).resolves.toBe('routee-1');
    await settle();
    expect(deadLetters.map(({ message, reason }) => [message, reason])).toEqual([
      ['routee-2', 'late-reply'],
      ['routee-3', 'late-reply'],
    ]);
  });

  it.each([
    { size: 0 },
    { size: 1.5 },
    { size: NaN },
    { size: '3' },
    { size: 1, strategy: 'round-robin' },
    { size: 1, routees: [] },
    null,
  ])('rejects %p', (bad) => {
    const options = bad && { routee: worker([]), ...bad };

    expect(() => Router.pool(options as never)).toThrow(InvalidActorOptionError);
  });
});

describe('Router.group', () => {
  const group = (count: number) => {
    const test = testSystem();
    const log: string[] = [];
    const routees = Array.from({ length: count }, (_, n) => test.system.spawn(worker(log), `w${n + 1}`));
    return { ...test, log, routees };
  };

  it('routes messages to existing actors, and does not stop them when it stops', async () => {
    const { system, routees, log } = group(2);
    const router = system.spawn(Router.group(routees));
    for (const message of ['a', 'b', 'c']) router.tell(message);
    router.stop();
    await router.whenTerminated();
    routees[0]!.tell('direct');
    await settle();

    expect(log.sort()).toEqual(['w1 a', 'w1 c', 'w1 direct', 'w2 b']);
  });

  it('removes an actor that has stopped, even before the router started', async () => {
    const { system, routees, log, deadLetters } = group(3);
    routees[0]!.stop();
    await routees[0]!.whenTerminated();
    const router = system.spawn(Router.group(routees));
    await settle();
    routees[1]!.stop();
    await settle();
    router.tell('a');
    router.tell('b');
    await settle();

    expect(log).toEqual(['w3 a', 'w3 b']);
    expect(deadLetters).toEqual([]);
  });

  it('turns messages into dead letters when no routee remains, and rejects asks at once', async () => {
    const { system, routees, deadLetters } = group(1);
    const router = system.spawn(Router.group(routees), 'group');
    routees[0]!.stop();
    await settle();
    const sender = system.spawn(recorder());
    router.tell('a', sender);

    await expect(router.ask(() => 'b')).rejects.toMatchObject({ reason: 'no-routee', path: '/user/group' });
    expect(deadLetters[0]).toMatchObject({ message: 'a', reason: 'no-routee' });
    expect(deadLetters[0]!.sender).toBe(sender);
  });

  it('removes the message adapter of an actor that has stopped', async () => {
    const { system, routees, log, deadLetters } = group(1);
    let adapter!: ActorRef<string>;
    const owner = system.spawn(
      Behavior.setup<string>((ctx) => {
        adapter = ctx.messageAdapter((message: string) => message);
        return Behavior.receive(() => undefined);
      }),
    );
    await settle();
    const router = system.spawn(Router.group([adapter, ...routees]));
    await settle();
    owner.stop();
    await settle();
    for (const message of ['a', 'b']) router.tell(message);
    await settle();

    expect(log).toEqual(['w1 a', 'w1 b']);
    expect(deadLetters).toEqual([]);
  });

  it('compares the mailboxes of its routees with smallestMailbox', async () => {
    const { system, routees, log } = group(2);
    routees[0]!.tell(Suspend);
    routees[0]!.tell('busy');
    const router = system.spawn(Router.group(routees, smallestMailbox()));
    for (const message of ['a', 'b']) {
      router.tell(message);
      await settle();
    }

    expect(log).toEqual(['w2 a', 'w2 b']);
  });

  it.each([[[]], [undefined], ['w1']])('rejects %p', (bad) => {
    expect(() => Router.group(bad as never)).toThrow(InvalidActorOptionError);
  });

  it('rejects a value that is not a strategy', () => {
    expect(() => Router.group(group(1).routees, {} as never)).toThrow(InvalidActorOptionError);
  });
});
