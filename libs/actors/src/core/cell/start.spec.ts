import { deferred } from '@roost/kernel';
import { advance, settle, testSystem } from '../actor-system.fixture.js';
import { Behavior } from '../behavior.js';
import { ActorInitializationException } from '../errors/actor-initialization.error.js';
import { InvalidBehaviorError } from '../errors/invalid-behavior.error.js';
import { ActorFailed } from '../observe/event-stream.js';
import { Props } from '../props.js';
import { failWith, notes, scripted, type Step } from '../scripted-actor.fixture.js';
import { ChildFailed, PreStart, type Signal } from '../signals.js';
import { Directive } from '../supervision/directive.js';
import { oneForOne } from '../supervision/one-for-one.strategy.js';
import { Kill, PoisonPill, Suspend, Resume } from '../system-messages.js';

const setup = () => {
  const test = testSystem();
  const log: string[] = [];
  const stateOf = (name: string) => test.system.describe().children.find((child) => child.name === name)?.state;
  return { ...test, log, note: notes(log), stateOf };
};

describe('the start of an actor', () => {
  it('happens after spawn() returns and before the first message', async () => {
    const { system, log, note, stateOf } = setup();

    const ref = system.spawn(scripted(log), 'a');
    ref.tell(note('message'));
    expect([log, stateOf('a')]).toEqual([[], 'starting']);
    await settle();

    expect(log).toEqual(['a setup', 'a PreStart', 'a message']);
    expect(stateOf('a')).toBe('running');
  });

  it('delivers PreStart when the actor is already Running', async () => {
    const { system, log, stateOf } = setup();
    const seen: unknown[] = [];

    system.spawn(scripted(log, { onSignal: () => void seen.push(stateOf('a')) }), 'a');
    await settle();

    expect(seen).toEqual(['running']);
  });

  it('delivers PreStart to a plain receive with a signal handler', async () => {
    const { system } = setup();
    const signals: Signal[] = [];

    system.spawn(Behavior.receive(() => undefined).onSignal((_ctx, signal) => void signals.push(signal)));
    await settle();

    expect(signals).toEqual([new PreStart()]);
  });

  it('keeps messages waiting until an asynchronous PreStart has settled', async () => {
    const { system, log, note } = setup();
    const ready = deferred();

    system.spawn(scripted(log, { onSignal: () => ready.promise }), 'a').tell(note('message'));
    await settle();
    expect(log).toEqual(['a setup', 'a PreStart']);
    ready.resolve();
    await settle();

    expect(log).toEqual(['a setup', 'a PreStart', 'a message']);
  });

  it('stops the actor when PreStart returns stopped, and its messages become dead letters', async () => {
    const { system, log, note, deadLetters } = setup();
    const ref = system.spawn(
      scripted(log, { onSignal: (_ctx, signal) => (signal instanceof PreStart ? Behavior.stopped() : undefined) }),
      'a',
    );

    ref.tell(note('message'));
    await ref.whenTerminated();

    expect(log).toEqual(['a setup', 'a PreStart', 'a PostStop']);
    expect(deadLetters).toMatchObject([{ recipient: '/user/a', reason: 'stopped' }]);
  });

  it('switches to the behavior that PreStart returns', async () => {
    const { system, log, note } = setup();
    const other = Behavior.receive<Step>((ctx) => void log.push(`${ctx.name} other`));

    system.spawn(scripted(log, { onSignal: () => other }), 'a').tell(note('message'));
    await settle();

    expect(log).toEqual(['a setup', 'a PreStart', 'a other']);
  });

  it.each(['throws', 'rejects'])('is supervised like any failure when PreStart %s', async (how) => {
    const { system, log, note } = setup();
    let failures = 1;
    const onSignal = (_ctx: unknown, signal: Signal): void | Promise<void> => {
      if (!(signal instanceof PreStart) || failures-- <= 0) return;
      if (how === 'throws') throw new Error('not yet');
      return Promise.reject(new Error('not yet'));
    };

    system.spawn(scripted(log, { onSignal }), 'a').tell(note('message'));
    await settle();

    expect(log).toEqual(['a setup', 'a PreStart', 'a PreRestart', 'a setup', 'a PostRestart', 'a message']);
  });

  it('applies an earlier Suspend after PreStart', async () => {
    const { system, log, note, stateOf } = setup();
    const ref = system.spawn(scripted(log), 'a');

    ref.tell(Suspend);
    ref.tell(note('message'));
    await settle();
    expect([log, stateOf('a')]).toEqual([['a setup', 'a PreStart'], 'suspended']);
    ref.tell(Resume);
    await settle();

    expect([log.at(-1), stateOf('a')]).toEqual(['a message', 'running']);
  });

  it('ignores a Suspend that was resumed before it', async () => {
    const { system, log, note, stateOf } = setup();
    const ref = system.spawn(scripted(log), 'a');

    ref.tell(Suspend);
    ref.tell(Resume);
    ref.tell(note('message'));
    await settle();

    expect([log.at(-1), stateOf('a')]).toEqual(['a message', 'running']);
  });
});

describe('Behavior.setup', () => {
  it('may be asynchronous: messages wait, in order', async () => {
    const { system, log, note, stateOf } = setup();
    const ready = deferred();
    const ref = system.spawn(scripted(log, { onSetup: () => ready.promise }), 'a');

    ref.tell(note(1));
    ref.tell(note(2));
    await settle();
    expect([log, stateOf('a')]).toEqual([['a setup'], 'starting']);
    ready.resolve();
    await settle();

    expect(log).toEqual(['a setup', 'a PreStart', 'a 1', 'a 2']);
  });

  it('may return further setups, and each of them runs', async () => {
    const { system, log, note } = setup();
    const nested = Behavior.setup<Step>(async () => {
      await Promise.resolve();
      return Behavior.setup<Step>(() => Behavior.setup<Step>(() => scripted(log)));
    });

    system.spawn(nested, 'a').tell(note('message'));
    await settle();

    expect(log).toEqual(['a setup', 'a PreStart', 'a message']);
  });

  it('stops the actor without signals when it returns stopped', async () => {
    const { system, deadLetters, logger } = setup();
    const ref = system.spawn(
      Behavior.setup<string>(() => Behavior.stopped()),
      'a',
    );
    ref.tell('message');

    await ref.whenTerminated();

    expect(deadLetters).toMatchObject([{ message: 'message', reason: 'stopped' }]);
    expect(logger.lines.filter((line) => line.startsWith('error'))).toEqual([]);
    expect(system.failures).toBe(0);
  });

  describe.each<[string, () => Behavior | Promise<Behavior>]>([
    [
      'throws',
      () => {
        throw new Error('no database');
      },
    ],
    ['rejects', () => Promise.reject(new Error('no database'))],
    [
      'throws in a nested setup',
      () =>
        Behavior.setup(() => {
          throw new Error('no database');
        }),
    ],
  ])('that %s', (_how, factory) => {
    it('stops the actor for good, regardless of the supervision', async () => {
      const { system } = setup();
      let setups = 0;
      const failing = Behavior.setup<string>(() => (setups++, factory() as Behavior<string>));
      const failed: ActorFailed[] = [];
      system.events$.subscribe((event) => event instanceof ActorFailed && failed.push(event));

      const ref = system.spawn(Props.of(failing, { supervision: oneForOne({ maxRetries: 5 }) }), 'a');
      await ref.whenTerminated();
      await settle();

      expect(setups).toBe(1);
      expect(system.describe().children).toEqual([]);
      expect(failed).toHaveLength(1);
      expect(failed[0]).toMatchObject({ ref, directive: Directive.Stop });
      expect(failed[0]!.error).toBeInstanceOf(ActorInitializationException);
      expect(failed[0]!.error).toMatchObject({ path: '/user/a', cause: { message: 'no database' } });
    });

    it('turns waiting messages into dead letters and rejects an ask', async () => {
      const { system, deadLetters } = setup();
      const ref = system.spawn(Behavior.setup<string>(factory as () => Behavior<string>), 'a');
      ref.tell('first');
      const asked = expect(ref.ask(() => 'second')).rejects.toMatchObject({ code: 'ACTORS_UNDELIVERED' });
      await asked;

      ref.tell('third');

      expect(deadLetters.map(({ message, reason }) => [message, reason])).toEqual([
        ['first', 'stopped'],
        ['second', 'stopped'],
        ['third', 'stopped'],
      ]);
    });

    it('is reported to the parent as ChildFailed', async () => {
      const { system, log } = setup();
      const seen: Signal[] = [];
      const parent = scripted(log, {
        onSetup: (ctx) => void ctx.spawn(Behavior.setup<never>(factory as () => Behavior), 'child'),
        onSignal: (_ctx, signal) => void seen.push(signal),
      });

      system.spawn(parent, 'a');
      await settle();

      const failed = seen.find((signal) => signal instanceof ChildFailed);
      expect(failed?.child.path).toBe('/user/a/child');
      expect(failed?.error).toBeInstanceOf(ActorInitializationException);
      expect(log).toEqual(['a setup', 'a PreStart', 'a ChildFailed']);
    });
  });

  it.each<[string, unknown]>([
    ['nothing', undefined],
    ['same', Behavior.same()],
    ['unhandled', Behavior.unhandled()],
    ['a number', 7],
    ['a promise of nothing', Promise.resolve(undefined)],
    ['a promise of same', Promise.resolve(Behavior.same())],
  ])('that returns %s is a failed initialization', async (_what, result) => {
    const { system } = setup();
    const errors: unknown[] = [];
    system.events$.subscribe((event) => event instanceof ActorFailed && errors.push(event.error));

    await system.spawn(Behavior.setup<never>(() => result as Behavior)).whenTerminated();

    expect(errors).toHaveLength(1);
    expect(errors[0]).toBeInstanceOf(ActorInitializationException);
    expect((errors[0] as Error).cause).toBeInstanceOf(InvalidBehaviorError);
  });

  it.each<[string, unknown]>([
    ['an object without a prototype', Object.create(null)],
    [
      'an error whose message cannot be read',
      Object.defineProperty(new Error(), 'message', { get: failWith('no') as never }),
    ],
    ['a symbol', Symbol('no')],
    ['undefined', undefined],
    [
      'an object that cannot be printed',
      {
        toString: () => {
          throw new Error('no');
        },
      },
    ],
  ])('may throw %s: the actor stops, and other actors continue', async (_what, thrown) => {
    const { system, log, note } = setup();
    const other = system.spawn(scripted(log), 'other');

    await system
      .spawn(
        Behavior.setup(() => {
          throw thrown;
        }),
      )
      .whenTerminated();
    other.tell(note('message'));
    await settle();

    expect(log).toEqual(['other setup', 'other PreStart', 'other message']);
  });

  it('that fails stops its children and timers', async () => {
    const { system, log, clock } = setup();
    const failing = Behavior.setup<string>((ctx) => {
      ctx.spawn(scripted(log), 'child');
      ctx.timers.fixedRate('tick', 'tick', 100);
      ctx.setReceiveTimeout(50);
      throw new Error('no database');
    });

    await system.spawn(failing, 'a').whenTerminated();
    await settle();

    expect(log).toEqual(['child setup', 'child PreStart', 'child PostStop']);
    expect(clock.pendingTimers).toBe(0);
  });

  it('that never settles does not prevent a forced stop', async () => {
    const { system, clock } = setup();
    system.spawn(
      Behavior.setup<never>(() => new Promise<Behavior>(() => undefined)),
      'a',
    );
    await settle();

    const ended = system.shutdown(1_000);
    await advance({ clock }, 1_000);

    expect(await ended).toMatchObject({ status: 'forced', stuck: [{ path: '/user/a', handling: 'setup' }] });
  });

  it('finishes before a Kill takes effect, so that PostStop can undo it', async () => {
    const { system, log, note, deadLetters } = setup();
    const ready = deferred();
    const ref = system.spawn(scripted(log, { onSetup: () => ready.promise }), 'a');
    await settle();

    ref.tell(note('message'));
    ref.tell(Kill);
    ready.resolve();
    await ref.whenTerminated();

    expect(log).toEqual(['a setup', 'a PreStart', 'a PostStop']);
    expect(deadLetters).toHaveLength(1);
  });

  it('finishes before a PoisonPill, which stays in order with the messages', async () => {
    const { system, log, note } = setup();
    const ready = deferred();
    const ref = system.spawn(scripted(log, { onSetup: () => ready.promise }), 'a');

    ref.tell(note(1));
    ref.tell(PoisonPill);
    ref.tell(note(2));
    ready.resolve();
    await ref.whenTerminated();

    expect(log).toEqual(['a setup', 'a PreStart', 'a 1', 'a PostStop']);
  });

  it('receives the failure of a child from before it settled', async () => {
    const { system, log } = setup();
    const ready = deferred();
    const parent = scripted(log, {
      onSetup: (ctx) => {
        ctx.spawn(scripted(log), 'child').tell(failWith(new Error('boom')));
        return ready.promise;
      },
    });

    system.spawn(parent, 'a');
    await settle();
    ready.resolve();
    await settle();

    expect(log).toContain('a ChildFailed');
  });
});
