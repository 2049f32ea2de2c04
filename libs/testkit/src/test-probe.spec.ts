import { type ActorRef, Behavior, type Signal, Terminated } from '@roost/actors/core';
import { sleep } from '@roost/time';
import fc from 'fast-check';
import { ActorTestKit } from './actor-test-kit.js';
import { InvalidTestkitOptionError } from './errors/invalid-testkit-option.error.js';
import { NothingToReplyToError } from './errors/nothing-to-reply-to.error.js';
import { ProbeAssertionError } from './errors/probe-assertion.error.js';
import { failureMessage, Ping, Pong, Question, realIo } from './messages.fixture.js';

let kit: ActorTestKit;

beforeEach(() => {
  kit = ActorTestKit.create();
});

afterEach(() => kit.shutdown());

/** Sends a message to the probe at a given time of the clock. */
const later = <M>(ref: ActorRef<M>, message: M, atMs: number) =>
  kit.system.scheduler.once(atMs, () => ref.tell(message));

const silent = Behavior.receive<unknown>(() => undefined);

describe('TestProbe.expectMessage', () => {
  it('takes the next message and returns it', async () => {
    const probe = kit.createProbe<Ping>();
    const ping = new Ping(1);
    probe.ref.tell(ping);
    probe.ref.tell(new Ping(2));

    expect(await probe.expectMessage(new Ping(1))).toBe(ping);
    expect(probe.waiting).toEqual([new Ping(2)]);
  });

  it('takes messages in the order they were sent', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.integer()), async (numbers) => {
        const probe = kit.createProbe<number>();
        for (const n of numbers) probe.ref.tell(n);
        for (const n of numbers) await probe.expectMessage(n);
        await probe.expectNoMessage();
      }),
      { numRuns: 50 },
    );
  });

  it('reports the actual message and the waiting ones', async () => {
    const probe = kit.createProbe<Ping | Pong>('inventory');
    probe.ref.tell(new Pong(1));
    probe.ref.tell(new Ping(2));
    probe.ref.tell(new Ping(3));

    const error = await probe.expectMessage(new Ping(1)).catch((thrown: unknown) => thrown);

    expect(error).toBeInstanceOf(ProbeAssertionError);
    expect(error).toMatchObject({
      name: 'ProbeAssertionError',
      code: 'TESTKIT_EXPECTATION_FAILED',
      expected: new Ping(1),
      actual: new Pong(1),
      message: expect.stringContaining(
        '/user/inventory expected Ping { n: 1 } within 0 ms, but got Pong { n: 1 }; also waiting: Ping { n: 2 }, Ping { n: 3 }',
      ),
    });
  });

  it('distinguishes a plain object from an instance of a class', async () => {
    const probe = kit.createProbe<Ping>();
    probe.ref.tell({ n: 1 });

    expect(await failureMessage(probe.expectMessage(new Ping(1)))).toContain('but got { n: 1 }');
  });

  it('explains that two messages look the same but are not equal', async () => {
    const probe = kit.createProbe<() => number>();
    probe.ref.tell(() => 1);

    expect(await failureMessage(probe.expectMessage(() => 1))).toContain('looks the same but is not deeply equal');
  });

  it('prints addresses in messages as paths', async () => {
    const probe = kit.createProbe<Question>('oracle');
    const asker = kit.createProbe<string>('asker');
    probe.ref.tell(new Question('why', asker.ref));

    expect(await failureMessage(probe.expectMessage(new Question('how', asker.ref)))).toContain(
      "/user/oracle expected Question { text: 'how', replyTo: ActorRef(/user/asker) } within 0 ms, " +
        "but got Question { text: 'why', replyTo: ActorRef(/user/asker) }",
    );
  });

  it('distinguishes two addresses', async () => {
    const probe = kit.createProbe<Question>();
    const [a, b] = [kit.createProbe<string>(), kit.createProbe<string>()];
    probe.ref.tell(new Question('why', a.ref));

    await expect(probe.expectMessage(new Question('why', b.ref))).rejects.toThrow(ProbeAssertionError);
  });

  it('fails without moving the clock, and reports when the next timer is due', async () => {
    const probe = kit.createProbe<Ping>();
    later(probe.ref, new Ping(1), 500);

    expect(await failureMessage(probe.expectMessage(new Ping(1)))).toContain(
      '/user/probe-1 expected Ping { n: 1 } within 0 ms, but no message arrived; the next timer is due in 500 ms: pass ' +
        '{ within } or call kit.advance() to reach it',
    );
    expect(kit.clock.monotonic()).toBe(0);
  });

  it('moves the clock to the message and no further', async () => {
    const probe = kit.createProbe<Ping>();
    later(probe.ref, new Ping(1), 500);
    later(probe.ref, new Ping(2), 501);

    await probe.expectMessage(new Ping(1), { within: 1_000 });

    expect(kit.clock.monotonic()).toBe(500);
    await probe.expectNoMessage();
  });

  it('takes a message that arrives exactly at the limit', async () => {
    const probe = kit.createProbe<Ping>();
    later(probe.ref, new Ping(1), 500);

    await probe.expectMessage(new Ping(1), { within: 500 });
  });

  it('fails when the whole time has passed', async () => {
    const probe = kit.createProbe<Ping>();
    later(probe.ref, new Ping(1), 501);

    expect(await failureMessage(probe.expectMessage(new Ping(1), { within: 500 }))).toContain(
      'within 500 ms, but no message',
    );
    expect(kit.clock.monotonic()).toBe(500);
  });

  it('waits in real time for a handler with real I/O', async () => {
    const probe = kit.createProbe<Ping>();
    const ref = kit.spawn(
      Behavior.receive<Ping>(async (_ctx, ping) => {
        await realIo();
        probe.ref.tell(ping);
      }),
    );
    ref.tell(new Ping(1));

    await probe.expectMessage(new Ping(1));
  });

  it('waits in real time for promises piped to an actor', async () => {
    const probe = kit.createProbe<string>();
    kit.spawn(
      Behavior.setup<string>((ctx) => {
        ctx.pipeToSelf(realIo(), () => 'done');
        return Behavior.receive((_ctx, message) => probe.ref.tell(message));
      }),
    );

    await probe.expectMessage('done');
  });

  it('does not wait in real time when no handler is running', async () => {
    const probe = kit.createProbe<Ping>();
    const tenMinutes = { realTimeoutMs: 600_000 };

    await expect(probe.expectMessage(new Ping(1), tenMinutes)).rejects.toThrow('no message arrived');
    await expect(probe.fishForMessage(() => 'skip', tenMinutes)).rejects.toThrow('none arrived');
    await expect(probe.receiveN(1, tenMinutes)).rejects.toThrow('got none');
  });

  it('names unsettled handlers when it gives up on them', async () => {
    const probe = kit.createProbe<Ping>();
    const ref = kit.spawn(
      Behavior.receive<Ping>(() => sleep(10, { clock: kit.clock })),
      'slow',
    );
    ref.tell(new Ping(1));

    expect(await failureMessage(probe.expectMessage(new Ping(1), { realTimeoutMs: 2 }))).toContain(
      'but no message arrived; unfinished handlers: /user/slow (Ping); the next timer is due in 10 ms',
    );
    await kit.advance(10);
  });

  it('reports dead letters and failures since the last met expectation', async () => {
    const probe = kit.createProbe<Ping | string>();
    const worker = kit.spawn(
      Behavior.receive<Ping>((_ctx, { n }) => {
        if (n === 0) return Behavior.unhandled();
        throw new Error(`boom ${n}`);
      }),
      'worker',
    );
    worker.tell(new Ping(0));
    worker.tell(new Ping(1));
    probe.ref.tell('first');
    await probe.expectMessage('first');
    worker.tell(new Ping(0));
    worker.tell(new Ping(2));

    expect(await failureMessage(probe.expectMessage('second'))).toContain(
      "/user/probe-1 expected 'second' within 0 ms, but no message arrived; dead letters: Ping { n: 0 } to /user/worker " +
        '(unhandled); actor failures: /user/worker Error: boom 2 (restart)',
    );
  });

  it('rejects invalid durations', async () => {
    const probe = kit.createProbe<Ping>();

    await expect(probe.expectMessage(new Ping(1), { within: -1 })).rejects.toThrow(InvalidTestkitOptionError);
    await expect(probe.expectMessage(new Ping(1), { realTimeoutMs: NaN })).rejects.toThrow(InvalidTestkitOptionError);
    await expect(probe.expectNoMessage(NaN)).rejects.toThrow(InvalidTestkitOptionError);
  });

  it('fails when the probe itself has stopped', async () => {
    const probe = kit.createProbe<Ping>();
    probe.stop();
    await kit.settle();
    probe.ref.tell(new Ping(1));

    expect(await failureMessage(probe.expectMessage(new Ping(1)))).toContain(
      'dead letters: Ping { n: 1 } to /user/probe-1 (stopped)',
    );
  });

  it('rejects a call while another one is moving the clock', async () => {
    const probe = kit.createProbe<Ping>();

    const move = kit.advance(10);

    await expect(probe.expectMessage(new Ping(1), { within: 10 })).rejects.toMatchObject({
      code: 'TESTKIT_ALREADY_MOVING',
      message: expect.stringContaining('an expectation (Ping { n: 1 }) was called while kit.advance()') as string,
    });
    await move;
  });
});

describe('TestProbe.expectMessageType', () => {
  it('returns a message of the class', async () => {
    const probe = kit.createProbe<Ping | Pong>();
    probe.ref.tell(new Pong(3));

    const { n } = await probe.expectMessageType(Pong);

    expect(n).toBe(3);
  });

  it('fails for another class, and when no message arrives', async () => {
    const probe = kit.createProbe<Ping | Pong>();
    probe.ref.tell(new Ping(3));

    expect(await failureMessage(probe.expectMessageType(Pong))).toContain(
      'expected a message of class Pong within 0 ms, but got Ping { n: 3 }',
    );
    expect(await failureMessage(probe.expectMessageType(Pong))).toContain(
      'of class Pong within 0 ms, but no message arrived',
    );
  });

  it('rejects a value that is not a class', async () => {
    await expect(kit.createProbe().expectMessageType('Ping' as never)).rejects.toThrow(InvalidTestkitOptionError);
  });
});

describe('TestProbe.expectNoMessage', () => {
  it('passes when no message arrives in that time', async () => {
    const probe = kit.createProbe<Ping>();
    later(probe.ref, new Ping(1), 101);

    await probe.expectNoMessage(100);

    expect(kit.clock.monotonic()).toBe(100);
  });

  it('detects a message that is still on its way', async () => {
    const probe = kit.createProbe<Ping>();
    kit.spawn(Behavior.receive<Ping>((_ctx, ping) => probe.ref.tell(ping))).tell(new Ping(1));

    expect(await failureMessage(probe.expectNoMessage())).toContain(
      'expected no message within 0 ms, but got Ping { n: 1 }',
    );
  });

  it('stops the clock at the first message', async () => {
    const probe = kit.createProbe<Ping>();
    later(probe.ref, new Ping(1), 60);

    expect(await failureMessage(probe.expectNoMessage(100))).toContain('within 100 ms, but got Ping { n: 1 }');
    expect(kit.clock.monotonic()).toBe(60);
  });
});

describe('TestProbe.fishForMessage', () => {
  it('skips messages over time until it takes one', async () => {
    const probe = kit.createProbe<Ping | Pong>();
    for (const n of [1, 2, 3]) later(probe.ref, new Ping(n), n * 10);
    later(probe.ref, new Pong(4), 40);

    const pong: Pong = await probe.fishForMessage((message) => message instanceof Pong, { within: 100 });

    expect(pong).toEqual(new Pong(4));
    expect(kit.clock.monotonic()).toBe(40);
  });

  it("fails on 'fail', and lists the skipped messages", async () => {
    const probe = kit.createProbe<Ping>();
    for (const n of [1, 2, 3]) probe.ref.tell(new Ping(n));

    const judged = probe.fishForMessage(({ n }) => (n === 2 ? 'fail' : 'skip'));

    expect(await failureMessage(judged)).toContain(
      '/user/probe-1 expected a matching message within 0 ms, but got Ping { n: 2 }; skipped: Ping { n: 1 }; ' +
        'also waiting: Ping { n: 3 }',
    );
  });

  it('fails when all messages were skipped', async () => {
    const probe = kit.createProbe<Ping>();
    probe.ref.tell(new Ping(1));

    expect(await failureMessage(probe.fishForMessage(() => 'skip'))).toContain(
      'but none arrived; skipped: Ping { n: 1 }',
    );
  });

  it("takes a message on 'take'", async () => {
    const probe = kit.createProbe<Ping>();
    probe.ref.tell(new Ping(1));

    expect(await probe.fishForMessage(() => 'take')).toEqual(new Ping(1));
  });

  it("rejects with the function's error, and rejects unknown results", async () => {
    const probe = kit.createProbe<Ping>();
    probe.ref.tell(new Ping(1));
    probe.ref.tell(new Ping(2));
    const fail = () => {
      throw new Error('no idea');
    };

    await expect(probe.fishForMessage(fail)).rejects.toThrow('no idea');
    await expect(probe.fishForMessage(() => 'keep' as never)).rejects.toThrow(InvalidTestkitOptionError);
  });
});

describe('TestProbe.receiveN and receiveMessage', () => {
  it('take any messages', async () => {
    const probe = kit.createProbe<number>();
    for (const n of [1, 2, 3]) later(probe.ref, n, n);

    expect(await probe.receiveMessage({ within: 1 })).toBe(1);
    expect(await probe.receiveN(2, { within: 2 })).toEqual([2, 3]);
    expect(await probe.receiveN(0)).toEqual([]);
  });

  it('fail when too few messages arrive, and leave them waiting', async () => {
    const probe = kit.createProbe<number>();
    expect(await failureMessage(probe.receiveMessage())).toContain(
      'expected a message within 0 ms, but no message arrived',
    );
    expect(await failureMessage(probe.receiveN(1))).toContain('expected 1 messages within 0 ms, but got none');
    probe.ref.tell(7);

    expect(await failureMessage(probe.receiveN(2))).toContain(
      'expected 2 messages within 0 ms, but got only 1; also waiting: 7',
    );
    expect(probe.waiting).toEqual([7]);
  });

  it.each([-1, 1.5, NaN])('reject a count of %p', async (count) => {
    await expect(kit.createProbe().receiveN(count)).rejects.toThrow(InvalidTestkitOptionError);
  });
});

describe('TestProbe.reply, forward and lastSender', () => {
  it('answer an ask', async () => {
    const probe = kit.createProbe<Ping>();
    const answer = probe.ref.ask<Pong>(() => new Ping(1));
    await probe.expectMessage(new Ping(1));

    probe.reply(new Pong(1));

    expect(await kit.resolve(answer)).toEqual(new Pong(1));
  });

  it('answer a handler that awaits an ask', async () => {
    const oracle = kit.createProbe<Ping>();
    const results = kit.createProbe<Pong>();
    kit
      .spawn(Behavior.receive<string>(async () => results.ref.tell(await oracle.ref.ask<Pong>(() => new Ping(1)))))
      .tell('go');
    await oracle.expectMessage(new Ping(1));

    oracle.reply(new Pong(2));

    await results.expectMessage(new Pong(2));
  });

  it('answer the sender of the last message taken, not of the last one that arrived', async () => {
    const probe = kit.createProbe<string>();
    const [a, b] = [kit.createProbe<string>(), kit.createProbe<string>()];
    probe.ref.tell('from a', a.ref);
    probe.ref.tell('from b', b.ref);
    await probe.expectMessage('from a');

    expect(probe.lastSender).toBe(a.ref);
    probe.reply('hello');

    await a.expectMessage('hello');
    expect(a.lastSender).toBe(probe.ref);
    await b.expectNoMessage();
  });

  it('forward keeps the sender', async () => {
    const [first, second, asker] = [kit.createProbe<string>(), kit.createProbe<string>(), kit.createProbe<string>()];
    first.ref.tell('question', asker.ref);
    await first.receiveMessage();

    first.forward(second.ref);
    await second.expectMessage('question');
    second.reply('answer');

    await asker.expectMessage('answer');
  });

  it('throw when there is no message or no sender', async () => {
    const probe = kit.createProbe<string>();
    expect(() => probe.reply(1)).toThrow(NothingToReplyToError);
    expect(() => probe.forward(probe.ref)).toThrow('no expectation has taken a message');
    probe.ref.tell('anonymous');
    await probe.receiveMessage();

    expect(() => probe.reply(1)).toThrow("'anonymous' has no sender");
    expect(probe.lastSender).toBeUndefined();
  });
});

describe('TestProbe.watch and expectTerminated', () => {
  it('detect that an actor stops, even over time', async () => {
    const probe = kit.createProbe();
    const ref = kit.spawn(silent);
    probe.watch(ref);
    kit.system.scheduler.once(100, () => ref.stop());

    await probe.expectTerminated(ref, { within: 100 });
  });

  it('detect an actor that had already stopped, watched or not', async () => {
    const probe = kit.createProbe();
    const [a, b] = [kit.spawn(silent), kit.spawn(silent)];
    a.stop();
    b.stop();
    await kit.settle();
    probe.watch(a);

    await probe.expectTerminated(a);
    await probe.expectTerminated(b);
  });

  it('fail while the actor is running', async () => {
    const probe = kit.createProbe();
    const ref = kit.spawn(silent, 'alive');

    expect(await failureMessage(probe.expectTerminated(ref))).toContain(
      'expected /user/alive to stop within 0 ms, but it has not stopped',
    );
  });

  it('do not prevent the probe from being watched itself', async () => {
    const probe = kit.createProbe();
    const seen: Signal[] = [];
    kit.spawn(
      Behavior.setup<never>((ctx) => {
        ctx.watch(probe.ref);
        return Behavior.receive<never>(() => undefined).onSignal((_ctx, signal) => void seen.push(signal));
      }),
    );
    await kit.settle();
    probe.stop();
    await kit.settle();

    expect(seen.filter((signal) => signal instanceof Terminated)).toMatchObject([{ ref: probe.ref }]);
  });
});
