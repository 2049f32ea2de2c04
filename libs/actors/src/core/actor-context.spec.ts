import { deferred } from '@roost/kernel';
import { recorder, settle, testSystem } from './actor-system.fixture.js';
import type { ActorContext } from './actor-context.js';
import type { ActorRef } from './actor-ref.js';
import { Behavior } from './behavior.js';
import { NoReplyAddressError } from './errors/no-reply-address.error.js';
import { NotAChildError } from './errors/not-a-child.error.js';
import { ActorFailed } from './observe/event-stream.js';
import { failWith, notes, scripted, type Step } from './scripted-actor.fixture.js';
import { PostStop } from './signals.js';
import { Directive } from './supervision/directive.js';
import { oneForOne } from './supervision/one-for-one.strategy.js';
import { Kill } from './system-messages.js';

const setup = () => {
  const test = testSystem({ supervision: oneForOne({ decide: () => Directive.Resume }) });
  const { system } = test;
  const log: string[] = [];
  const errors: unknown[] = [];
  system.events$.subscribe((event) => event instanceof ActorFailed && errors.push(event.error));
  const ref = system.spawn(scripted(log), 'a');
  /** Runs `look` inside the actor and returns its result. */
  const inside = async <T>(look: (ctx: ActorContext<Step>) => T, from: ActorRef<Step> = ref): Promise<T> => {
    const seen = deferred<T>();
    from.tell((ctx) => seen.resolve(look(ctx)));
    return seen.promise;
  };
  return { ...test, log, errors, ref, inside, note: notes(log) };
};

describe('ActorContext', () => {
  it("has the actor's name, path, parent and system", async () => {
    const { system, ref, inside, log } = setup();
    const child = await inside((ctx) => ctx.spawn(scripted(log), 'child'));

    expect(await inside(({ self, name, path }) => [self, name, path])).toEqual([ref, 'a', '/user/a']);
    expect(await inside((ctx) => ctx.system)).toBe(system);
    expect(await inside(({ parent }) => parent)).toBeUndefined();
    expect(await inside(({ parent }) => parent, child)).toBe(ref);
  });

  it('lists children by name and all together, until they have stopped', async () => {
    const { inside, log } = setup();
    const made = await inside((ctx) => [ctx.spawn(scripted(log), 'x'), ctx.spawn(scripted(log))]);

    expect(await inside(({ children }) => children)).toEqual(made);
    expect(await inside((ctx) => ctx.child('x'))).toBe(made[0]);
    expect(await inside((ctx) => ctx.child(made[1]!.name))).toBe(made[1]);
    expect(await inside((ctx) => ctx.child('nobody'))).toBeUndefined();
    made[0]!.tell(Kill);
    await made[0]!.whenTerminated();

    expect(await inside(({ children }) => children)).toEqual([made[1]]);
    expect(await inside((ctx) => ctx.child('x'))).toBeUndefined();
  });

  it('stops a child after its messages, or the actor itself without an argument', async () => {
    const { ref, inside, log, note } = setup();
    const child = await inside((ctx) => ctx.spawn(scripted(log), 'child'));
    child.tell(note(1));

    await inside((ctx) => ctx.stop(child));
    await child.whenTerminated();
    expect(log.slice(-2)).toEqual(['child 1', 'child PostStop']);
    await inside((ctx) => ctx.stop());
    await ref.whenTerminated();

    expect(log.at(-1)).toBe('a PostStop');
  });

  it('refuses to stop other actors', async () => {
    const { system, ref, errors, log, inside } = setup();
    const other = system.spawn(scripted(log), 'other');
    const child = await inside((ctx) => ctx.spawn(scripted(log), 'child'));
    const grandchild = await inside((ctx) => ctx.spawn(scripted(log), 'grandchild'), child);

    for (const target of [other, grandchild]) ref.tell((ctx) => ctx.stop(target));
    child.tell((ctx) => ctx.stop(ref));
    await settle();

    expect(errors.map((error) => error instanceof NotAChildError)).toEqual([true, true, true]);
    expect(log.filter((line) => line.endsWith('PostStop'))).toEqual([]);
  });

  it('replies to the sender and exposes it', async () => {
    const { system, ref } = setup();
    const got: unknown[] = [];
    const sender = system.spawn(recorder(got), 'sender');

    ref.tell((ctx) => {
      ctx.reply(ctx.sender?.path);
    }, sender);
    await settle();

    expect(got).toEqual(['/user/sender']);
  });

  it('rejects a reply to a message without a sender', async () => {
    const { ref, errors, inside } = setup();

    expect(await inside(({ sender }) => sender)).toBeUndefined();
    ref.tell((ctx) => ctx.reply('to whom?'));
    await settle();

    expect(errors).toHaveLength(1);
    expect(errors[0]).toBeInstanceOf(NoReplyAddressError);
  });

  it('keeps the sender of an asynchronous handler until it has settled', async () => {
    const { system, ref } = setup();
    const got: unknown[] = [];
    const busy = deferred();
    ref.tell(
      async (ctx) => {
        await busy.promise;
        ctx.reply('first');
      },
      system.spawn(recorder(got), 'sender'),
    );
    ref.tell((ctx) => ctx.reply('second'), system.spawn(recorder(got), 'other'));
    await settle();
    expect(got).toEqual([]);

    busy.resolve();
    await settle();

    expect(got).toEqual(['first', 'second']);
  });

  it('forwards a message with its sender', async () => {
    const { system, ref, log } = setup();
    const got: unknown[] = [];
    const sender = system.spawn(recorder(got), 'sender');
    const other = system.spawn(scripted(log), 'other');

    ref.tell((ctx) => ctx.forward<Step>(other, (own) => own.reply(`from ${own.name}`)), sender);
    await settle();

    expect(got).toEqual(['from other']);
    expect(await ref.ask((): Step => (ctx) => ctx.forward<Step>(other, (own) => own.reply(own.name)))).toBe('other');
  });

  it("logs with the actor's path", async () => {
    const { inside, logger } = setup();

    await inside(({ log }) => {
      for (const level of ['debug', 'log', 'warn', 'error'] as const) log[level](`a ${level}`);
    });

    expect(logger.lines).toEqual(['debug', 'log', 'warn', 'error'].map((level) => `${level}: /user/a: a ${level}`));
  });

  it('has one signal across restarts, which aborts when the actor stops', async () => {
    const { ref, inside } = setup();
    const signal = await inside((ctx) => ctx.signal);

    ref.tell(failWith(new Error('boom')));
    await settle();
    expect([signal.aborted, await inside((ctx) => ctx.signal)]).toEqual([false, signal]);
    ref.tell(Kill);
    await ref.whenTerminated();

    expect(signal.aborted).toBe(true);
  });
});

describe('ctx.pipeToSelf', () => {
  it('sends the outcome of a promise as a message while other messages are handled', async () => {
    const { ref, log, note } = setup();
    const result = deferred<number>();
    ref.tell((ctx) => ctx.pipeToSelf(result.promise, (value) => note(value)));
    ref.tell(note('meanwhile'));
    await settle();
    expect(log.at(-1)).toBe('a meanwhile');

    result.resolve(42);
    await settle();

    expect(log.at(-1)).toBe('a 42');
  });

  it('sends the error as a message if onError is given', async () => {
    const { ref, log, note, errors } = setup();
    ref.tell((ctx) =>
      ctx.pipeToSelf(
        Promise.reject(new Error('no')),
        () => note('value'),
        (error) => note((error as Error).message),
      ),
    );
    await settle();

    expect([log.at(-1), errors]).toEqual(['a no', []]);
  });

  it('fails the actor with the error otherwise, and with errors of the mapping functions', async () => {
    const { ref, errors } = setup();
    const [error, inValue, inError] = [new Error('no'), new Error('in value'), new Error('in error')];
    ref.tell((ctx) => ctx.pipeToSelf(Promise.reject(error), () => () => undefined));
    ref.tell((ctx) => ctx.pipeToSelf(Promise.resolve(), failWith(inValue) as never));
    ref.tell((ctx) => ctx.pipeToSelf(Promise.reject(error), () => () => undefined, failWith(inError) as never));
    await settle();

    expect(errors).toHaveLength(3);
    expect(new Set(errors)).toEqual(new Set([error, inValue, inError]));
  });

  it('turns a late value into a dead letter and ignores a late error', async () => {
    const { ref, note, deadLetters, errors } = setup();
    const [value, failing] = [deferred<number>(), deferred<number>()];
    const message = note('late');
    ref.tell((ctx) => {
      ctx.pipeToSelf(value.promise, () => message);
      ctx.pipeToSelf(failing.promise, () => message);
    });
    ref.stop();
    await ref.whenTerminated();

    value.resolve(1);
    failing.reject(new Error('late'));
    await settle();

    expect(deadLetters).toMatchObject([{ message, recipient: '/user/a', reason: 'stopped' }]);
    expect(errors).toEqual([]);
  });

  it('accepts a thenable, and waits for the running handler', async () => {
    const { ref, log, note } = setup();
    const busy = deferred();
    const thenable = { then: (done: (value: number) => void) => done(7) } as unknown as Promise<number>;
    ref.tell(async (ctx) => {
      ctx.pipeToSelf(thenable, (value) => note(value));
      await busy.promise;
    });
    await settle();
    expect(log.at(-1)).toBe('a PreStart');

    busy.resolve();
    await settle();

    expect(log.at(-1)).toBe('a 7');
  });
});

describe('hostile values', () => {
  const hostile = (): object =>
    new Proxy(
      {},
      {
        get: () => {
          throw new Error('hands off');
        },
        getPrototypeOf: () => {
          throw new Error('hands off');
        },
      },
    );

  it.each<[string, (ref: ActorRef<Step>) => void]>([
    ['a result', (ref) => ref.tell(() => hostile() as never)],
    [
      'the result of a promise',
      (ref) =>
        ref.tell(
          () =>
            ({
              get then() {
                throw new Error('hands off');
              },
            }) as never,
        ),
    ],
    ['an error', (ref) => ref.tell(failWith(hostile()))],
    ['a rejection', (ref) => ref.tell(() => Promise.resolve().then(() => failWith(hostile())(undefined as never)))],
    [
      'an unhandled message',
      (ref) => ref.tell((ctx) => ctx.spawn(Behavior.receive<object>(() => Behavior.unhandled())).tell(hostile())),
    ],
    [
      'a message to a stopped actor',
      (ref) =>
        ref.tell((ctx) => {
          const child = ctx.spawn(Behavior.receive<object>(() => undefined));
          child.tell(Kill);
          child.tell(hostile());
        }),
    ],
  ])('used as %s do not stop other actors', async (_what, attack) => {
    const { system, ref, log, note, inside } = setup();
    await inside(() => undefined);
    const other = system.spawn(scripted(log, { onSignal: () => undefined }), 'other');

    attack(ref);
    await settle();
    other.tell(note('still here'));
    ref.tell(note('me too'));
    await settle();

    expect(log).toContain('other still here');
    expect(log).toContain('a me too');
  });

  it('do not block the shutdown of the system', async () => {
    const { system, ref, log } = setup();
    ref.tell(() => hostile() as never);
    ref.tell(failWith(hostile()));

    expect(await system.shutdown()).toMatchObject({ status: 'completed' });
    expect(log.at(-1)).toBe(`a ${PostStop.name}`);
  });
});
