import { type ActorRef, ActorSystem, AskTimeoutError, Behavior, exponentialBackoff, Props } from '@roost/actors/core';
import { sleep, systemClock } from '@roost/time';
import { ManualClock } from '@roost/time/testing';
import fc from 'fast-check';
import { ActorTestKit } from './actor-test-kit.js';
import { InvalidTestkitOptionError } from './errors/invalid-testkit-option.error.js';
import { ManualClockMissingError } from './errors/manual-clock-missing.error.js';
import { failureMessage, Ping, Pong, realIo } from './messages.fixture.js';

const { jest } = import.meta;

const kits: ActorTestKit[] = [];
const createKit = (...args: Parameters<typeof ActorTestKit.create>): ActorTestKit => {
  const kit = ActorTestKit.create(...args);
  kits.push(kit);
  return kit;
};

afterEach(async () => {
  for (const kit of kits.splice(0)) await kit.shutdown();
});

/** Passes a number on, decremented, so that a chain is as long as the number. */
const countdown = (done: () => void): Behavior<number> =>
  Behavior.receive<number>((ctx, n) => {
    if (n === 0) done();
    else ctx.self.tell(n - 1);
  });

describe('ActorTestKit.settle', () => {
  it('resolves when all messages, including those they cause, have been handled', async () => {
    const kit = createKit();
    const done = jest.fn();
    kit.spawn(countdown(done)).tell(200_000);

    await kit.settle();

    expect(done).toHaveBeenCalledTimes(1);
  });

  it('waits for chains of promises in handlers, however long', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat({ max: 50 }), { minLength: 1, maxLength: 20 }), async (awaits) => {
        const kit = createKit();
        let handled = 0;
        const ref = kit.spawn(
          Behavior.receive<number>(async (_ctx, count) => {
            for (let i = 0; i < count; i++) await Promise.resolve();
            handled++;
          }),
        );
        for (const count of awaits) ref.tell(count);
        await kit.settle();
        expect(handled).toBe(awaits.length);
      }),
      { numRuns: 30 },
    );
  });

  it('runs timers that are due now, and no others', async () => {
    const kit = createKit();
    const seen: string[] = [];
    kit.spawn(
      Behavior.setup<string>((ctx) => {
        ctx.timers.once('now', 'now', 0);
        ctx.timers.once('later', 'later', 1);
        return Behavior.receive((_ctx, message) => void seen.push(message));
      }),
    );

    await kit.settle();

    expect(seen).toEqual(['now']);
    expect(kit.clock.monotonic()).toBe(0);
  });

  it('does not wait for a handler that waits for the clock, a reply or real I/O', async () => {
    const kit = createKit();
    kit.spawn(Behavior.receive<Ping>(() => sleep(1_000, { clock: kit.clock }))).tell(new Ping(1));

    await kit.settle();

    await expect(kit.finishHandlers(0)).rejects.toMatchObject({
      code: 'TESTKIT_HANDLERS_NOT_FINISHED',
      message: expect.stringContaining('/user/$1 (Ping)') as string,
    });
    await kit.advance(1_000);
    await kit.finishHandlers(0);
  });

  it('rejects when actors never become idle, and names them', async () => {
    const kit = createKit({ settleTimeoutMs: 20 });
    let stop = false;
    const endless = kit.spawn(
      Behavior.receive<Ping>((ctx, ping) => (stop ? Behavior.stopped() : void ctx.self.tell(ping))),
      'endless',
    );
    endless.tell(new Ping(1));

    await expect(kit.settle()).rejects.toMatchObject({
      code: 'TESTKIT_NOT_SETTLED',
      message: expect.stringContaining('/user/endless (1 waiting)') as string,
    });
    stop = true;
  });

  it('rejects when a timer of 0 ms sets itself again endlessly', async () => {
    const kit = createKit({ settleTimeoutMs: 20 });
    kit.spawn(
      Behavior.setup<string>((ctx) => {
        ctx.timers.once('again', 'again', 0);
        return Behavior.receive((context) => context.timers.once('again', 'again', 0));
      }),
    );

    await expect(kit.settle()).rejects.toMatchObject({ code: 'TESTKIT_NOT_SETTLED' });
  });
});

describe('ActorTestKit.advance', () => {
  it('lets actors run between two timers', async () => {
    const kit = createKit();
    const seen: string[] = [];
    kit.spawn(
      Behavior.setup<string>((ctx) => {
        ctx.timers.once('a', 'a', 10);
        return Behavior.receive((context, message) => {
          seen.push(`${message}@${kit.clock.monotonic()}`);
          if (message === 'a') context.timers.once('b', 'b', 5);
        });
      }),
    );

    await kit.advance(20);

    expect(seen).toEqual(['a@10', 'b@15']);
    expect(kit.clock.monotonic()).toBe(20);
  });

  it('lets asynchronous handlers that wait for the clock continue', async () => {
    const kit = createKit();
    const seen: number[] = [];
    const ref = kit.spawn(
      Behavior.receive<Ping>(async (_ctx, { n }) => {
        await sleep(10, { clock: kit.clock });
        await sleep(10, { clock: kit.clock });
        seen.push(n, kit.clock.monotonic());
      }),
    );
    ref.tell(new Ping(1));
    ref.tell(new Ping(2));

    await kit.advance(40);

    expect(seen).toEqual([1, 20, 2, 40]);
  });

  it('fires every tick of a fixed rate exactly once, whatever the steps', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.integer({ min: 0, max: 35 }), { maxLength: 8 }), async (steps) => {
        const kit = createKit();
        const ticks: number[] = [];
        kit.spawn(
          Behavior.setup<string>((ctx) => {
            ctx.timers.fixedRate('tick', 'tick', 10);
            return Behavior.receive(() => void ticks.push(kit.clock.monotonic()));
          }),
        );
        await kit.settle();
        for (const step of steps) await kit.advance(step);
        const total = steps.reduce((sum, step) => sum + step, 0);
        expect(kit.clock.monotonic()).toBe(total);
        expect(ticks).toEqual(Array.from({ length: Math.floor(total / 10) }, (_, i) => (i + 1) * 10));
      }),
      { numRuns: 50 },
    );
  });

  it('rejects when the previous move has not finished', async () => {
    const kit = createKit();

    const first = kit.advance(10);

    await expect(kit.advance(10)).rejects.toMatchObject({ code: 'TESTKIT_ALREADY_MOVING' });
    await first;
    await kit.advance(10);
    expect(kit.clock.monotonic()).toBe(20);
  });

  it('finishes the move when a timer callback of the test throws, then rejects with the first error', async () => {
    const kit = createKit();
    const ran: number[] = [];
    const fail = (text: string) => () => {
      throw new Error(text);
    };
    kit.clock.setTimer(5, fail('first'));
    kit.clock.setTimer(5, fail('second'));
    kit.clock.setTimer(9, () => ran.push(9));

    await expect(kit.advance(10)).rejects.toThrow('first');
    expect([kit.clock.monotonic(), ...ran]).toEqual([10, 9]);
  });

  it.each([-1, NaN, Infinity, '5' as unknown as number])('rejects a move by %p', async (ms) => {
    await expect(createKit().advance(ms)).rejects.toThrow(InvalidTestkitOptionError);
  });
});

describe('ActorTestKit.finishHandlers', () => {
  it('waits in real time for handlers and piped promises, without moving the clock', async () => {
    const kit = createKit();
    const probe = kit.createProbe<string>();
    const ref = kit.spawn(
      Behavior.receive<string>(async (ctx, message) => {
        await realIo();
        probe.ref.tell(message);
        if (message === 'ask') ctx.pipeToSelf(realIo(), () => 'piped');
      }),
    );
    ref.tell('ask');

    await kit.finishHandlers();

    expect(probe.waiting).toEqual(['ask', 'piped']);
    expect(kit.clock.monotonic()).toBe(0);
  });

  it('counts pipeToSelf promises that do not settle', async () => {
    const kit = createKit({ realTimeoutMs: 1 });
    kit.spawn(
      Behavior.setup<string>(
        (ctx) => (ctx.pipeToSelf(new Promise<string>(() => undefined), String), Behavior.receive(() => undefined)),
      ),
    );

    expect(await failureMessage(kit.finishHandlers())).toContain('1 pipeToSelf promise(s)');
  });
});

describe('ActorTestKit.resolve', () => {
  const echo = Behavior.receive<Ping>((ctx, { n }) => ctx.reply(new Pong(n)));
  const silent = Behavior.receive<Ping>(() => undefined);

  it('returns the reply of an ask', async () => {
    const kit = createKit();
    const ref = kit.spawn(echo);

    expect(await kit.resolve(ref.ask(() => new Ping(1)))).toEqual(new Pong(1));
  });

  it('fails at once, without moving the clock, when there is no reply', async () => {
    const kit = createKit();
    const ref = kit.spawn(silent);

    const message = await failureMessage(kit.resolve(ref.ask(() => new Ping(1))));

    expect(message).toContain(
      'expected the promise to settle within 0 ms, but it has not settled; the next timer is due in 5000 ms: pass { within } or ' +
        'call kit.advance() to reach it',
    );
    expect(kit.clock.monotonic()).toBe(0);
  });

  it('moves the clock up to the limit and rejects like the promise', async () => {
    const kit = createKit();
    const ref = kit.spawn(silent);

    await expect(
      kit.resolve(
        ref.ask(() => new Ping(1), { timeoutMs: 300 }),
        { within: 1_000 },
      ),
    ).rejects.toThrow(AskTimeoutError);
    expect(kit.clock.monotonic()).toBe(300);
  });
});

describe('ActorTestKit', () => {
  it('records dead letters, failures and log lines, and prints nothing', async () => {
    const kit = createKit();
    const printed = jest.spyOn(console, 'error');
    const ref = kit.spawn(
      Behavior.receive<string>((ctx, message) => {
        ctx.log.debug(`got ${message}`);
        if (message === 'fail') throw new Error('boom');
        return Behavior.unhandled();
      }),
      'a',
    );
    ref.tell('fail');
    ref.tell('other');

    await kit.settle();

    expect(kit.deadLetters).toMatchObject([{ message: 'other', recipient: '/user/a', reason: 'unhandled' }]);
    expect(kit.failures).toMatchObject([
      { ref: { path: '/user/a' }, error: { message: 'boom' }, directive: 'restart' },
    ]);
    expect(kit.logs).toContainEqual({ level: 'debug', path: '/user/a', message: 'got fail' });
    expect(kit.logs.map(({ level }) => level)).toEqual(['debug', 'error', 'debug', 'warn']);
    expect(printed).not.toHaveBeenCalled();
    printed.mockRestore();
  });

  it('forwards log lines to a given logger', () => {
    const logger = { log: jest.fn(), warn: jest.fn(), error: jest.fn() };
    const kit = createKit({ logger });

    kit.system.options.logger.log('hello', '/user/a');
    kit.system.options.logger.debug!('nobody listens', '/user/a');

    expect(logger.log).toHaveBeenCalledWith('hello', '/user/a');
    expect(kit.logs).toHaveLength(2);
  });

  it('works while the global timers are replaced', async () => {
    jest.useFakeTimers();
    try {
      const kit = createKit();
      const probe = kit.createProbe<string>();
      kit.spawn(Behavior.receive<string>(async (_ctx, message) => probe.ref.tell(message))).tell('hello');
      kit.system.scheduler.once(10, () => probe.ref.tell('later'));

      await probe.expectMessage('hello');
      await probe.expectMessage('later', { within: 10 });
      await expect(probe.receiveMessage()).rejects.toThrow('no message arrived');
    } finally {
      jest.useRealTimers();
    }
  });

  it('passes options to its system', () => {
    const clock = new ManualClock({ now: 5 });
    const kit = createKit({ name: 'shop', askTimeoutMs: 7, clock });

    expect(kit.system.name).toBe('shop');
    expect(kit.system.options.askTimeoutMs).toBe(7);
    expect(kit.clock).toBe(clock);
  });

  it('yields the same random numbers in every run', () => {
    const numbers = () => {
      const { random } = createKit().system.options;
      return Array.from({ length: 5 }, () => random());
    };

    expect(numbers()).toEqual(numbers());
    expect(new Set(numbers()).size).toBe(5);
    expect(numbers().every((n) => n >= 0 && n < 1)).toBe(true);
  });

  it.each([
    { realTimeoutMs: -1 },
    { realTimeoutMs: NaN },
    { settleTimeoutMs: 0 },
    { settleTimeoutMs: '5' as unknown as number },
  ])('rejects the limits %p', (limits) => {
    expect(() => ActorTestKit.create(limits)).toThrow(InvalidTestkitOptionError);
  });

  it('skips names in use when it generates a probe name', () => {
    const kit = createKit();
    kit.spawn(
      Behavior.receive(() => undefined),
      'probe-1',
    );

    expect([kit.createProbe().ref.name, kit.createProbe('mine').ref.name, kit.createProbe().ref.name]).toEqual([
      'probe-2',
      'mine',
      'probe-3',
    ]);
  });
});

describe('ActorTestKit.of', () => {
  it('works with an existing system, whose logger keeps working', async () => {
    const log = jest.fn();
    const logger = { log, warn: log, error: log };
    const system = new ActorSystem({ clock: new ManualClock(), logger });
    const kit = ActorTestKit.of(system);
    kits.push(kit);
    const probe = kit.createProbe<Ping>();
    const ref = system.spawn(
      Behavior.receive<Ping>((ctx, ping) => {
        ctx.log.log('handled');
        probe.ref.tell(ping);
      }),
      'a',
    );

    ref.tell(new Ping(1));

    await probe.expectMessage(new Ping(1));
    expect(kit.logs).toEqual([{ level: 'log', path: '/user/a', message: 'handled' }]);
    expect(log).toHaveBeenCalledWith('handled', '/user/a');
  });

  it('rejects a system on another clock', async () => {
    const system = new ActorSystem({ clock: systemClock });

    expect(() => ActorTestKit.of(system)).toThrow(ManualClockMissingError);
    await system.shutdown();
  });
});

describe('ActorTestKit.expectNoMessageFor', () => {
  it('passes when no probe gets a message in that time, and the clock has moved', async () => {
    const kit = createKit();
    const [a, b] = [kit.createProbe<Ping>(), kit.createProbe<string>()];
    kit.system.scheduler.once(101, () => a.ref.tell(new Ping(1)));

    await kit.expectNoMessageFor(100, a, b);

    expect(kit.clock.monotonic()).toBe(100);
  });

  it('fails at the first message, and names its probe', async () => {
    const kit = createKit();
    const [a, b] = [kit.createProbe(), kit.createProbe<Ping>()];
    kit.system.scheduler.once(50, () => b.ref.tell(new Ping(1)));

    expect(await failureMessage(kit.expectNoMessageFor(100, a, b))).toContain(
      '/user/probe-2 expected no message within 100 ms, but got Ping { n: 1 }',
    );
    expect(kit.clock.monotonic()).toBe(50);
  });
});

describe('ActorTestKit.shutdown', () => {
  it("drains and returns the system's report, the same at every call", async () => {
    const kit = createKit();
    const seen: number[] = [];
    const ref = kit.spawn(Behavior.receive<Ping>((_ctx, { n }) => void seen.push(n)));
    ref.tell(new Ping(1));
    ref.tell(new Ping(2));

    const report = await kit.shutdown();

    expect(seen).toEqual([1, 2]);
    expect(report.status).toBe('completed');
    expect(await kit.shutdown()).toBe(report);
  });

  it('waits for real I/O of handlers', async () => {
    const kit = createKit();
    let written = false;
    const ref = kit.spawn(
      Behavior.receive<Ping>(async () => {
        await realIo();
        written = true;
      }),
    );
    ref.tell(new Ping(1));

    expect(await kit.shutdown()).toMatchObject({ status: 'completed', durationMs: 0 });
    expect(written).toBe(true);
  });

  it('does not hang when a handler never settles, and names it', async () => {
    const kit = createKit({ realTimeoutMs: 5 });
    kit
      .spawn(
        Behavior.receive<Ping>(() => new Promise<void>(() => undefined)),
        'stuck',
      )
      .tell(new Ping(1));

    const report = await kit.shutdown(2_000);

    expect(report).toMatchObject({ status: 'forced', stuck: [{ path: '/user/stuck', handling: 'Ping' }] });
    expect(kit.clock.monotonic()).toBe(2_000);
  });

  it('lets throttled actors finish by moving the clock', async () => {
    const kit = createKit();
    const seen: number[] = [];
    const behavior = Behavior.receive<Ping>((_ctx, { n }) => void seen.push(n));
    const ref: ActorRef<Ping> = kit.spawn(Props.of(behavior, { throttle: { messages: 1, perMs: 100 } }));
    for (const n of [1, 2, 3]) ref.tell(new Ping(n));

    expect(await kit.shutdown()).toMatchObject({ status: 'completed' });
    expect(seen).toEqual([1, 2, 3]);
  });
});

describe('supervision in an ActorTestKit', () => {
  it('passes the backoff of a restart without waiting in real time', async () => {
    const kit = createKit({ supervision: exponentialBackoff({ minMs: 10_000, maxMs: 10_000, jitter: 0 }) });
    const probe = kit.createProbe<string>();
    const ref = kit.spawn(
      Behavior.setup<string>(() => {
        probe.ref.tell('started');
        return Behavior.receive(() => {
          throw new Error('boom');
        });
      }),
    );
    await probe.expectMessage('started');
    ref.tell('fail');

    await probe.expectMessage('started', { within: 60_000 });

    expect(kit.clock.monotonic()).toBe(10_000);
    expect(kit.failures).toHaveLength(1);
  });
});
