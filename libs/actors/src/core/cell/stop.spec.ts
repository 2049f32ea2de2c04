import { deferred } from '@roost/kernel';
import { settle, testSystem } from '../actor-system.fixture.js';
import { Behavior } from '../behavior.js';
import { ActorSystemStoppingError } from '../errors/actor-system-stopping.error.js';
import { ActorStopped } from '../observe/event-stream.js';
import { failWith, notes, scripted, type Step, waitFor } from '../scripted-actor.fixture.js';
import { PostStop, type Signal } from '../signals.js';
import { Kill, PoisonPill, Resume, Suspend } from '../system-messages.js';

const setup = () => {
  const test = testSystem();
  const log: string[] = [];
  const stateOf = (name: string) => test.system.describe().children.find((child) => child.name === name)?.state;
  return { ...test, log, note: notes(log), stateOf };
};

/** A tree below `a`: two branches with two leaves each. */
const tree = (log: string[]): Behavior<Step> =>
  scripted(log, {
    onSetup: (ctx) => {
      for (const branch of ['b', 'c']) {
        const onSetup = (own: typeof ctx): void => {
          for (const leaf of [1, 2]) own.spawn(scripted(log), `${branch}${leaf}`);
        };
        ctx.spawn(scripted(log, { onSetup }), branch);
      }
    },
  });
const stops = (log: string[]): string[] =>
  log.filter((line) => line.endsWith('PostStop')).map((line) => line.split(' ')[0]!);

describe('the stop of an actor', () => {
  describe.each<[string, (ref: { tell(message: Step | typeof Kill): void; stop(): void }) => void]>([
    ['PoisonPill', (ref) => ref.tell(PoisonPill)],
    ['Kill', (ref) => ref.tell(Kill)],
    ['stop()', (ref) => ref.stop()],
    ['Behavior.stopped()', (ref) => ref.tell(() => Behavior.stopped())],
    ['a promise of Behavior.stopped()', (ref) => ref.tell(() => Promise.resolve(Behavior.stopped()))],
    ['ctx.stop()', (ref) => ref.tell((ctx) => ctx.stop())],
  ])('by %s', (_how, end) => {
    it('delivers PostStop exactly once to each actor, children before parents', async () => {
      const { system, log } = setup();
      const ref = system.spawn(tree(log), 'a');
      await settle();

      end(ref);
      await ref.whenTerminated();
      await settle();

      const order = stops(log);
      expect([...order].sort()).toEqual(['a', 'b', 'b1', 'b2', 'c', 'c1', 'c2']);
      expect(order.at(-1)).toBe('a');
      for (const branch of ['b', 'c']) {
        for (const leaf of [1, 2]) expect(order.indexOf(`${branch}${leaf}`)).toBeLessThan(order.indexOf(branch));
      }
      expect(system.describe().children).toEqual([]);
    });

    it('turns all later messages into dead letters', async () => {
      const { system, log, note, deadLetters } = setup();
      const ref = system.spawn(scripted(log), 'a');
      await settle();

      end(ref);
      await ref.whenTerminated();
      ref.tell(note('late'));
      ref.tell(PoisonPill);
      ref.tell(Kill);
      ref.tell(Suspend);
      ref.tell(Resume);
      await settle();

      expect(deadLetters).toHaveLength(1);
      expect(deadLetters).toMatchObject([{ recipient: '/user/a', reason: 'stopped' }]);
      expect(log).toEqual(['a setup', 'a PreStart', 'a PostStop']);
    });
  });

  it('happens after messages sent before a PoisonPill; later ones become dead letters', async () => {
    const { system, log, note, deadLetters } = setup();
    const ref = system.spawn(scripted(log), 'a');
    const late = note(3);

    for (const message of [note(1), note(2), PoisonPill, late, PoisonPill]) ref.tell(message);
    await ref.whenTerminated();

    expect(log).toEqual(['a setup', 'a PreStart', 'a 1', 'a 2', 'a PostStop']);
    expect(deadLetters).toMatchObject([{ message: late, reason: 'stopped' }]);
  });

  it('happens after the current message with a Kill; waiting messages become dead letters, in order', async () => {
    const { system, log, note, deadLetters } = setup();
    const busy = deferred();
    const waiting = [note(1), note(2)];
    const ref = system.spawn(scripted(log), 'a');
    ref.tell(async () => {
      await busy.promise;
      log.push('a finished');
    });
    for (const message of waiting) ref.tell(message);
    await settle();

    ref.tell(Kill);
    await settle();
    expect(log).toEqual(['a setup', 'a PreStart']);
    busy.resolve();
    await ref.whenTerminated();

    expect(log.slice(2)).toEqual(['a finished', 'a PostStop']);
    expect(deadLetters.map(({ message }) => message)).toEqual(waiting);
  });

  it('aborts ctx.signal at a Kill, so that a handler can finish early', async () => {
    const { system, log } = setup();
    const ref = system.spawn(scripted(log), 'a');
    ref.tell(async ({ signal }) => {
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
      log.push('a aborted');
    });
    await settle();

    ref.tell(Kill);
    await ref.whenTerminated();

    expect(log.slice(-2)).toEqual(['a aborted', 'a PostStop']);
  });

  it('by a Kill does not restart an actor whose handler then fails', async () => {
    const { system, log } = setup();
    const busy = deferred();
    const ref = system.spawn(scripted(log), 'a');
    ref.tell(waitFor(busy.promise));
    await settle();

    ref.tell(Kill);
    busy.reject(new Error('boom'));
    await ref.whenTerminated();
    await settle();

    expect(log.filter((line) => line === 'a setup')).toHaveLength(1);
    expect(stops(log)).toEqual(['a']);
  });

  it('lets children drain after a PoisonPill, but not after a Kill', async () => {
    for (const [message, expected] of [
      [PoisonPill, ['child 1', 'child 2', 'child PostStop', 'a PostStop']],
      [Kill, ['child PostStop', 'a PostStop']],
    ] as const) {
      const { system, log, note, deadLetters } = setup();
      const parent = scripted(log, { onSetup: (ctx) => void ctx.spawn(scripted(log), 'child') });
      const ref = system.spawn(parent, 'a');
      await settle();
      log.length = 0;

      ref.tell((ctx) => {
        for (const text of [1, 2]) ctx.child('child')!.tell(note(text));
        ctx.self.tell(message);
      });
      // The parent runs again before the child does.
      await ref.whenTerminated();

      expect(log.filter((line) => line.startsWith('child P') || line.startsWith('a P'))).toEqual(expected.slice(-2));
      expect(log.length + deadLetters.length).toBe(4);
    }
  });

  it('waits for an asynchronous PostStop, and so do the parents', async () => {
    const { system, log, stateOf } = setup();
    const closing = deferred();
    const child = scripted(log, {
      onSignal: (_ctx, signal) => (signal instanceof PostStop ? closing.promise : undefined),
    });
    const ref = system.spawn(scripted(log, { onSetup: (ctx) => void ctx.spawn(child, 'child') }), 'a');
    await settle();

    ref.tell(PoisonPill);
    await settle();
    expect([stops(log), stateOf('a')]).toEqual([['child'], 'stopping']);
    closing.resolve();
    await ref.whenTerminated();

    expect(stops(log)).toEqual(['child', 'a']);
  });

  it.each<[string, Step]>([
    ['throws', failWith(new Error('cannot close'))],
    ['rejects', () => Promise.reject(new Error('cannot close'))],
  ])('continues when PostStop %s, and logs the error', async (_how, onPostStop) => {
    const { system, log, logger } = setup();
    const onSignal = (ctx: Parameters<Step>[0], signal: Signal) =>
      signal instanceof PostStop ? onPostStop(ctx) : undefined;
    const ref = system.spawn(scripted(log, { onSignal }), 'a');

    ref.tell(PoisonPill);
    await ref.whenTerminated();

    expect(stops(log)).toEqual(['a']);
    expect(logger.lines.join('\n')).toContain('PostStop threw: Error: cannot close');
    expect(system.failures).toBe(0);
  });

  it('is immediate without a signal handler', async () => {
    const { system } = setup();
    const ref = system.spawn(Behavior.receive<string>(() => undefined));

    ref.tell(PoisonPill);
    await settle();

    expect(system.describe().children).toEqual([]);
  });

  it('happens once, however often and in whatever way it is requested', async () => {
    const { system, log } = setup();
    const stopped: unknown[] = [];
    system.events$.subscribe((event) => event instanceof ActorStopped && stopped.push(event.ref));
    const ref = system.spawn(tree(log), 'a');
    await settle();

    for (const message of [PoisonPill, Kill, Kill, PoisonPill]) ref.tell(message);
    ref.stop();
    await ref.whenTerminated();
    await settle();

    expect(stops(log)).toHaveLength(7);
    expect(stopped).toHaveLength(7);
    expect(stopped.at(-1)).toBe(ref);
  });

  it('frees the name when the actor has stopped, not before', async () => {
    const { system, log, stateOf } = setup();
    const closing = deferred();
    const ref = system.spawn(
      scripted(log, { onSignal: (_ctx, s) => (s instanceof PostStop ? closing.promise : undefined) }),
      'a',
    );
    await settle();
    ref.tell(PoisonPill);
    await settle();

    expect(stateOf('a')).toBe('stopping');
    expect(() => system.spawn(scripted(log), 'a')).toThrow(
      expect.objectContaining({
        code: 'ACTORS_DUPLICATE_NAME',
        message: expect.stringContaining('is still stopping') as string,
      }),
    );
    closing.resolve();
    await ref.whenTerminated();

    const next = system.spawn(scripted(log), 'a');
    expect(next).not.toBe(ref);
    expect(system.lookup('/user/a')).toBe(next);
  });

  it('rejects new children of a stopping actor', async () => {
    const { system, log } = setup();
    const errors: unknown[] = [];
    const onSignal = (ctx: Parameters<Step>[0], signal: Signal): void => {
      if (!(signal instanceof PostStop)) return;
      try {
        ctx.spawn(scripted(log), 'late');
      } catch (error) {
        errors.push(error);
      }
    };
    const ref = system.spawn(scripted(log, { onSignal }), 'a');

    ref.tell(PoisonPill);
    await ref.whenTerminated();

    expect(errors).toHaveLength(1);
    expect(errors[0]).toBeInstanceOf(ActorSystemStoppingError);
  });

  it('cancels timers, even those that PostStop sets', async () => {
    const { system, log, clock, note } = setup();
    const onSignal = (ctx: Parameters<Step>[0], signal: Signal): void => {
      if (!(signal instanceof PostStop)) return;
      ctx.timers.fixedRate('late', note('late'), 10);
      ctx.setReceiveTimeout(10);
    };
    const ref = system.spawn(scripted(log, { onSignal }), 'a');
    ref.tell((ctx) => {
      ctx.timers.fixedRate('tick', note('tick'), 10);
      ctx.setReceiveTimeout(10);
    });
    await settle();

    ref.tell(PoisonPill);
    await ref.whenTerminated();
    await settle();

    expect(clock.pendingTimers).toBe(0);
  });

  it('turns stashed messages into dead letters', async () => {
    const { system, deadLetters } = setup();
    const ref = system.spawn(Behavior.receive<number>((ctx) => ctx.stash()));

    for (const n of [1, 2]) ref.tell(n);
    ref.tell(PoisonPill);
    await ref.whenTerminated();

    expect(deadLetters.map(({ message, reason }) => [message, reason])).toEqual([
      [1, 'stopped'],
      [2, 'stopped'],
    ]);
  });

  it('resolves whenTerminated() for all callers, even later ones', async () => {
    const { system, log } = setup();
    const ref = system.spawn(scripted(log), 'a');
    const first = ref.whenTerminated();
    expect(ref.whenTerminated()).toBe(first);

    ref.tell(Kill);

    await expect(Promise.all([first, ref.whenTerminated()])).resolves.toEqual([undefined, undefined]);
    await expect(ref.whenTerminated()).resolves.toBeUndefined();
  });
});

describe('Suspend and Resume', () => {
  it('keep messages waiting in order and lose none', async () => {
    const { system, log, note, stateOf } = setup();
    const ref = system.spawn(scripted(log), 'a');
    await settle();

    ref.tell(Suspend);
    for (const text of [1, 2]) ref.tell(note(text));
    await settle();
    expect([log, stateOf('a')]).toEqual([['a setup', 'a PreStart'], 'suspended']);
    ref.tell(note(3));
    ref.tell(Resume);
    await settle();

    expect(log.slice(2)).toEqual(['a 1', 'a 2', 'a 3']);
    expect(stateOf('a')).toBe('running');
  });

  it('do not accumulate: one Resume ends any number of Suspends, and does nothing without one', async () => {
    const { system, log, note } = setup();
    const ref = system.spawn(scripted(log), 'a');

    ref.tell(Resume);
    for (let i = 0; i < 3; i++) ref.tell(Suspend);
    ref.tell(note(1));
    await settle();
    ref.tell(Resume);
    await settle();

    expect(log.at(-1)).toBe('a 1');
  });

  it('take effect between two messages of a batch', async () => {
    const { system, log, note } = setup();
    const ref = system.spawn(scripted(log), 'a');

    ref.tell((ctx) => ctx.self.tell(Suspend));
    ref.tell(note(1));
    await settle();

    expect(log.at(-1)).toBe('a PreStart');
  });

  it('let an asynchronous handler finish', async () => {
    const { system, log, note } = setup();
    const busy = deferred();
    const ref = system.spawn(scripted(log), 'a');
    ref.tell(async () => {
      await busy.promise;
      log.push('a finished');
    });
    ref.tell(note('next'));
    await settle();

    ref.tell(Suspend);
    busy.resolve();
    await settle();
    expect(log.at(-1)).toBe('a finished');
    ref.tell(Resume);
    await settle();

    expect(log.at(-1)).toBe('a next');
  });

  it('keep a PoisonPill waiting like any message, but not a Kill', async () => {
    const { system, log, stateOf } = setup();
    const ref = system.spawn(scripted(log), 'a');
    await settle();
    ref.tell(Suspend);
    ref.tell(PoisonPill);
    await settle();
    expect(stateOf('a')).toBe('suspended');

    ref.tell(Kill);
    await ref.whenTerminated();

    expect(stops(log)).toEqual(['a']);
  });

  it('let a suspended actor restart when it fails, and keep it suspended', async () => {
    const { system, log, note, stateOf } = setup();
    const ref = system.spawn(scripted(log), 'a');
    ref.tell((ctx) => {
      ctx.self.tell(Suspend);
      throw new Error('boom');
    });
    ref.tell(note('next'));
    await settle();

    expect([log.at(-1), stateOf('a')]).toEqual(['a PostRestart', 'suspended']);
    ref.tell(Resume);
    await settle();
    expect(log.at(-1)).toBe('a next');
  });

  it('let a suspended child stop with its parent', async () => {
    const { system, log, note, deadLetters } = setup();
    const ref = system.spawn(scripted(log, { onSetup: (ctx) => void ctx.spawn(scripted(log), 'child') }), 'a');
    await settle();
    const child = system.lookup('/user/a/child')!;
    child.tell(Suspend);
    child.tell(note('waiting'));

    ref.tell(PoisonPill);
    await ref.whenTerminated();

    expect(stops(log)).toEqual(['child', 'a']);
    expect(deadLetters).toHaveLength(1);
  });
});
