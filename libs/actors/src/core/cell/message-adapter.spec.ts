import { inspect } from 'node:util';
import { recorder, settle, testSystem } from '../actor-system.fixture.js';
import type { ActorRef } from '../actor-ref.js';
import { Behavior } from '../behavior.js';
import { UndeliveredError } from '../errors/undelivered.error.js';
import { bounded, Overflow } from '../mailbox/mailbox-options.js';
import { Props } from '../props.js';
import { Terminated } from '../signals.js';
import { Kill, Resume, Suspend } from '../system-messages.js';

/** An actor that accepts strings, and an adapter that accepts numbers. */
async function adapted(options = {}) {
  const test = testSystem();
  const got: string[] = [];
  let adapter!: ActorRef<number>;
  const behavior = Behavior.setup<string>((ctx) => {
    adapter = ctx.messageAdapter((n: number) => {
      if (n < 0) throw new RangeError('too low');
      return `number ${n}`;
    });
    return Behavior.receive<string>((own, message) => {
      got.push(message);
      if (own.sender) own.reply(`re: ${message}`);
    });
  });
  const owner = test.system.spawn(Props.of(behavior, options), 'owner');
  await settle();
  return { ...test, got, owner, adapter };
}

describe('a message adapter', () => {
  it('passes messages to its owner, translated and in order', async () => {
    const { adapter, owner, got } = await adapted();
    adapter.tell(1);
    owner.tell('direct');
    adapter.tell(2);
    await settle();

    expect(got).toEqual(['number 1', 'direct', 'number 2']);
  });

  it("has its owner's name and path, and prints as an adapted address", async () => {
    const { adapter } = await adapted();

    expect([adapter.name, adapter.path]).toEqual(['owner', '/user/owner']);
    expect(inspect(adapter)).toContain('/user/owner');
  });

  it('passes the sender on', async () => {
    const { adapter, system } = await adapted();
    const replies: unknown[] = [];
    adapter.tell(7, system.spawn(recorder(replies)));
    await settle();

    expect(replies).toEqual(['re: number 7']);
  });

  it('supports ask() and offer()', async () => {
    const { adapter, got } = await adapted();

    await expect(adapter.ask(() => 3)).resolves.toBe('re: number 3');
    await expect(adapter.offer(4)).resolves.toBeUndefined();
    await settle();
    expect(got).toEqual(['number 3', 'number 4']);
  });

  it('turns a message into a dead letter when its function throws, and the sender sees no error', async () => {
    const { adapter, got, deadLetters, logger, system } = await adapted();
    const sender = system.spawn(recorder(), 'sender');
    expect(() => adapter.tell(-1, sender)).not.toThrow();
    await settle();

    expect(got).toEqual([]);
    expect(deadLetters).toMatchObject([
      { message: -1, reason: 'adapter-failed', recipient: '/user/owner', sender: { path: '/user/sender' } },
    ]);
    expect(logger.lines[0]).toContain('error: /user/owner: a message adapter threw: RangeError: too low');
  });

  it('rejects an ask or an offer when its function throws', async () => {
    const { adapter, clock } = await adapted();

    await expect(adapter.ask(() => -1)).rejects.toThrow('too low');
    await expect(adapter.offer(-1)).rejects.toThrow('too low');
    expect(clock.pendingTimers).toBe(0);
  });

  it('passes system messages to its owner unchanged', async () => {
    const { adapter, owner, deadLetters } = await adapted();
    adapter.tell(Suspend);
    adapter.tell(1);
    await settle();
    adapter.tell(Kill);
    await owner.whenTerminated();

    expect(deadLetters).toMatchObject([{ message: 'number 1', reason: 'stopped' }]);
  });

  it('stops with its owner', async () => {
    const { adapter, owner, deadLetters } = await adapted();
    adapter.stop();
    await adapter.whenTerminated();
    await owner.whenTerminated();
    adapter.tell(1);

    expect(deadLetters).toMatchObject([{ message: 'number 1', reason: 'stopped' }]);
    await expect(adapter.ask(() => 1)).rejects.toThrow(UndeliveredError);
  });

  it('is watched as its owner', async () => {
    const { adapter, owner, system } = await adapted();
    const ended: unknown[] = [];
    system.spawn(
      Behavior.setup((ctx) => {
        ctx.watch(adapter);
        return Behavior.receive(() => undefined).onSignal((_ctx, signal) => {
          if (signal instanceof Terminated) ended.push(signal.ref);
        });
      }),
    );
    await settle();
    owner.stop();
    await settle();

    expect(ended).toHaveLength(1);
    expect(ended[0]).toBe(owner);
  });

  it('stays valid across a restart', async () => {
    const { system } = testSystem();
    const got: unknown[] = [];
    const adapters: ActorRef<number>[] = [];
    const ref = system.spawn(
      Behavior.setup<string>((ctx) => {
        adapters.push(ctx.messageAdapter((n: number) => `number ${n}`));
        return Behavior.receive<string>((_ctx, message) => {
          if (message === 'fail') throw new Error('asked to');
          got.push(message);
        });
      }),
    );
    ref.tell('fail');
    await settle();
    adapters[0]!.tell(1);
    await settle();

    expect(adapters).toHaveLength(2);
    expect(got).toEqual(['number 1']);
  });

  it("waits for room in its owner's mailbox", async () => {
    const { adapter, owner, got } = await adapted({ mailbox: bounded(1, Overflow.Backpressure) });
    owner.tell(Suspend);
    owner.tell('first');
    const offered = adapter.offer(2);
    owner.tell(Resume);
    await offered;
    await settle();

    expect(got).toEqual(['first', 'number 2']);
  });
});
