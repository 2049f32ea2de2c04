import { recorder, settle, testSystem } from '../actor-system.fixture.js';
import { Behavior } from '../behavior.js';
import { NothingToStashError } from '../errors/nothing-to-stash.error.js';
import { StashFullError } from '../errors/stash-full.error.js';
import { bounded, Overflow } from '../mailbox/mailbox-options.js';
import { type ActorOptions, Props } from '../props.js';
import { PostRestart, PostStop, PreRestart, PreStart } from '../signals.js';
import { Kill, Resume, Suspend } from '../system-messages.js';

/** Stashes strings until `open`, and records the messages it handles. */
function stashing(options: ActorOptions = {}) {
  const test = testSystem();
  const handled: string[] = [];
  const behavior = Behavior.setup<string>(() => {
    let open = false;
    return Behavior.receive<string>((ctx, message) => {
      if (message === 'fail') throw new Error('asked to');
      if (message === 'open') {
        open = true;
        ctx.unstashAll();
      } else if (open) handled.push(message);
      else ctx.stash();
    });
  });
  return { ...test, handled, ref: test.system.spawn(Props.of(behavior, options), 'stashing') };
}

describe('ctx.stash', () => {
  it('restores messages in order, ahead of all waiting ones', async () => {
    const { ref, handled } = stashing();
    for (const message of ['a', 'b', 'c']) ref.tell(message);
    await settle();
    ref.tell(Suspend);
    ref.tell('open');
    ref.tell('d');
    ref.tell(Resume);
    await settle();

    expect(handled).toEqual(['a', 'b', 'c', 'd']);
  });

  it('keeps the reply address', async () => {
    const { system } = testSystem();
    let open = false;
    const ref = system.spawn(
      Behavior.receive<string>((ctx, message) => {
        if (message === 'open') {
          open = true;
          ctx.unstashAll();
        } else if (open) ctx.reply(`re: ${message}`);
        else ctx.stash();
      }),
    );
    const asking = ref.ask(() => 'question');
    ref.tell('open');

    await expect(asking).resolves.toBe('re: question');
  });

  it('can be unstashed while empty, any number of times', async () => {
    const { ref, handled } = stashing();
    ref.tell('a');
    ref.tell('open');
    ref.tell('open');
    ref.tell('b');
    await settle();

    expect(handled).toEqual(['a', 'b']);
  });

  it('accepts unstashed messages again', async () => {
    const { system } = testSystem();
    const seen: string[] = [];
    const ref = system.spawn(
      Behavior.receive<string>((ctx, message) => {
        seen.push(message);
        if (message === 'go') ctx.unstashAll();
        else if (seen.length < 5) ctx.stash();
      }),
    );
    for (const message of ['a', 'go', 'go', 'go']) {
      ref.tell(message);
      await settle();
    }

    expect(seen).toEqual(['a', 'go', 'a', 'go', 'a', 'go']);
  });

  it('is shown by describe()', async () => {
    const { ref, system } = stashing();
    ref.tell('a');
    ref.tell('b');
    await settle();

    expect(system.describe().children[0]).toMatchObject({ name: 'stashing', mailbox: 0, stashed: 2 });
  });

  it('needs no room in a bounded mailbox, even when unstashed', async () => {
    const { ref, handled, deadLetters } = stashing({ mailbox: bounded(2, Overflow.DropNewest) });
    for (const message of ['a', 'b', 'c']) {
      ref.tell(message);
      await settle();
    }
    ref.tell('open');
    await settle();

    expect(handled).toEqual(['a', 'b', 'c']);
    expect(deadLetters).toEqual([]);
  });

  it('rejects more messages than its capacity, and the handler fails', async () => {
    const { ref, logger, handled } = stashing({ stashCapacity: 2 });
    const third = (async () => {
      for (const message of ['a', 'b']) ref.tell(message);
      await settle();
      return ref.ask(() => 'c');
    })();

    await expect(third).rejects.toThrow(StashFullError);
    await expect(third).rejects.toThrow('The stash of /user/stashing is full: it holds 2 messages.');
    expect(logger.lines[0]).toContain('failed on string (restart): StashFullError');
    ref.tell('open');
    await settle();
    expect(handled).toEqual(['a', 'b']);
  });

  it('creates no dead letter when the handler also returns unhandled: the message comes back', async () => {
    const { system, deadLetters } = testSystem();
    const seen: string[] = [];
    const ref = system.spawn(
      Behavior.receive<string>((ctx, message) => {
        seen.push(message);
        if (message === 'open') return ctx.unstashAll();
        if (seen.includes('open')) return;
        ctx.stash();
        return Behavior.unhandled();
      }),
    );
    for (const message of ['a', 'open']) ref.tell(message);
    await settle();

    expect([seen, deadLetters]).toEqual([['a', 'open', 'a'], []]);
  });

  it('is logged as StashedMessage when the handler then fails', async () => {
    const { system, logger } = testSystem();
    const ref = system.spawn(
      Behavior.withState<string, number>(0, (ctx) => {
        if (system.restarts > 0) return;
        ctx.stash();
        throw new Error('after all');
      }),
      'one',
    );
    ref.tell('a');
    await settle();

    expect(logger.lines[0]).toContain('error: /user/one: failed on StashedMessage (restart): Error: after all');
  });

  it('accepts a message only once', async () => {
    const { system } = testSystem();
    const errors: unknown[] = [];
    const seen: string[] = [];
    const ref = system.spawn(
      Behavior.receive<string>((ctx, message) => {
        seen.push(message);
        if (message !== 'a' || seen.length > 1) return ctx.unstashAll();
        ctx.stash();
        try {
          ctx.stash();
        } catch (error) {
          errors.push(error);
        }
      }),
    );
    ref.tell('a');
    ref.tell('go');
    await settle();

    expect(seen).toEqual(['a', 'go', 'a']);
    expect(errors[0]).toBeInstanceOf(NothingToStashError);
  });

  it('accepts equal messages one after the other', async () => {
    const { ref, handled } = stashing();
    ref.tell('same');
    ref.tell('same');
    ref.tell('open');
    await settle();

    expect(handled).toEqual(['same', 'same']);
  });

  it('returns to the mailbox at a restart', async () => {
    const { ref, handled, deadLetters } = stashing();
    for (const message of ['a', 'b', 'fail', 'c', 'open']) ref.tell(message);
    await settle();

    expect(handled).toEqual(['a', 'b', 'c']);
    expect(deadLetters).toEqual([]);
  });

  it.each([
    ['drained', (ref: { stop(): void }) => ref.stop()],
    ['killed', (ref: { tell(message: typeof Kill): void }) => ref.tell(Kill)],
  ])('becomes dead letters, before waiting messages, when the actor is %s', async (_how, end) => {
    const { ref, deadLetters } = stashing();
    ref.tell('a');
    ref.tell('b');
    await settle();
    end(ref);
    ref.tell('c');
    await ref.whenTerminated();

    expect(deadLetters.map(({ message, reason }) => [message, reason])).toEqual([
      ['a', 'stopped'],
      ['b', 'stopped'],
      ['c', 'stopped'],
    ]);
  });

  it('has nothing to stash in a setup or a signal handler', async () => {
    const { system, deadLetters } = testSystem();
    const refused: string[] = [];
    const attempt = (where: string, use: () => void): void => {
      try {
        use();
      } catch (error) {
        if (error instanceof NothingToStashError) refused.push(where);
      }
    };
    const behavior = Behavior.setup<string>((ctx) => {
      attempt('setup', () => ctx.stash());
      return Behavior.receive<string>(() => {
        throw new Error('restart me');
      }).onSignal((own, signal) => attempt(signal.constructor.name, () => own.stash()));
    });
    const ref = system.spawn(behavior);
    ref.tell('fail');
    await settle();
    ref.tell('fail', system.spawn(recorder()));
    ref.tell(Kill);
    await ref.whenTerminated();

    const signals = [PreStart, PreRestart, PostRestart, PostStop].map(({ name }) => name);
    expect(refused).toEqual(['setup', signals[0], signals[1], 'setup', signals[2], signals[3]]);
    expect(deadLetters).toHaveLength(1);
  });
});
