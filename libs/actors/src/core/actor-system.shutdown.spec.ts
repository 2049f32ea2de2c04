import { deferred } from '@roost/kernel';
import { advance, recorder, settle, testSystem } from './actor-system.fixture.js';
import type { ActorContext } from './actor-context.js';
import { Behavior } from './behavior.js';
import { DeadLetter } from './observe/dead-letters.js';
import { ActorSystemStoppingError } from './errors/actor-system-stopping.error.js';
import { InvalidActorOptionError } from './errors/invalid-actor-option.error.js';
import { ActorStopped } from './observe/event-stream.js';
import { bounded, Overflow } from './mailbox/mailbox-options.js';
import { Props } from './props.js';
import { failWith, notes, scripted, type Step, waitFor } from './scripted-actor.fixture.js';
import { PostRestart, PostStop, PreRestart, PreStart, type Signal } from './signals.js';
import { exponentialBackoff } from './supervision/exponential-backoff.strategy.js';
import { Kill, Suspend } from './system-messages.js';

const setup = () => {
  const test = testSystem();
  const log: string[] = [];
  return { ...test, log, note: notes(log) };
};
const never = new Promise<never>(() => undefined);
const forEver: Step = () => never;
const quiet = { log: () => undefined, warn: () => undefined, error: () => undefined };
const stops = (log: string[]): string[] =>
  log.filter((line) => line.endsWith('PostStop')).map((line) => line.split(' ')[0]!);

/** Returns the unhandled rejections during `run` and a few turns after it. */
const unhandledDuring = async (run: () => Promise<unknown>): Promise<unknown[]> => {
  const seen: unknown[] = [];
  const take = (reason: unknown): void => void seen.push(reason);
  process.on('unhandledRejection', take);
  try {
    await run();
    await settle(10);
  } finally {
    process.off('unhandledRejection', take);
  }
  return seen;
};

describe('ActorSystem.shutdown', () => {
  it('stops an empty system', async () => {
    const { system, clock } = setup();

    const ended = system.shutdown();
    expect(system.state).toBe('stopping');

    expect(await ended).toEqual({ status: 'completed', durationMs: 0, forced: [], stuck: [], deadLetters: 0 });
    expect(system.state).toBe('stopped');
    expect(clock.pendingTimers).toBe(0);
  });

  it('lets every actor handle its mailbox, parents first, and delivers PostStop bottom-up', async () => {
    const { system, log, note, deadLetters } = setup();
    const parent = scripted(log, {
      onSetup: (ctx) => {
        for (const name of ['x', 'y']) ctx.spawn(scripted(log), name);
      },
    });
    const ref = system.spawn(parent, 'parent');
    await settle();
    log.length = 0;
    for (const path of ['/user/parent', '/user/parent/x', '/user/parent/y']) {
      for (const text of [1, 2]) system.lookup(path)!.tell(note(text));
    }

    const report = await system.shutdown();

    expect(report).toMatchObject({ status: 'completed', deadLetters: 0 });
    for (const name of ['parent', 'x', 'y']) {
      expect(log.filter((line) => line.startsWith(`${name} `))).toEqual([`${name} 1`, `${name} 2`, `${name} PostStop`]);
    }
    expect(log.at(-1)).toBe('parent PostStop');
    expect(deadLetters).toEqual([]);
    await ref.whenTerminated();
  });

  it('waits for asynchronous handlers and PostStops', async () => {
    const { system, log, clock } = setup();
    const work = deferred();
    const closing = deferred();
    const onSignal = (_ctx: unknown, signal: Signal) => (signal instanceof PostStop ? closing.promise : undefined);
    system.spawn(scripted(log, { onSignal }), 'a').tell(waitFor(work.promise));
    const ended = system.shutdown(1_000);
    await advance({ clock }, 400);
    expect(stops(log)).toEqual([]);
    work.resolve();
    await advance({ clock }, 400);
    expect([stops(log), system.state]).toEqual([['a'], 'stopping']);
    closing.resolve();

    expect(await ended).toMatchObject({ status: 'completed', durationMs: 800 });
  });

  it('runs once: further calls, whatever their timeout, return the same promise', async () => {
    const { system, log, clock } = setup();
    system.spawn(scripted(log), 'a').tell(forEver);

    const first = system.shutdown(1_000);
    const second = system.shutdown(5);
    expect(second).toBe(first);
    await advance({ clock }, 5);
    expect(system.state).toBe('stopping');
    await advance({ clock }, 995);

    expect(await first).toMatchObject({ status: 'forced', durationMs: 1_000 });
    expect(system.shutdown()).toBe(first);
    expect(stops(log)).toEqual(['a']);
  });

  it.each([0, -1, NaN, Infinity, 2 ** 31, '5'])('rejects %p as a timeout and keeps the system running', (timeoutMs) => {
    const { system, log } = setup();

    expect(() => system.shutdown(timeoutMs as number)).toThrow(InvalidActorOptionError);
    expect(system.state).toBe('running');
    expect(() => system.spawn(scripted(log))).not.toThrow();
  });

  it('has a timeout of 10 s unless the system or the call sets another', async () => {
    for (const [options, timeoutMs] of [
      [{}, 10_000],
      [{ shutdownTimeoutMs: 70 }, 70],
    ] as const) {
      const { system, clock } = testSystem(options);
      system.spawn(Behavior.receive<Step>((ctx, step) => step(ctx))).tell(forEver);
      const ended = system.shutdown();
      await advance({ clock }, timeoutMs - 1);
      expect(system.state).toBe('stopping');
      await advance({ clock }, 1);
      expect((await ended).durationMs).toBe(timeoutMs);
    }
  });

  it('can be called by a handler, even one that awaits it', async () => {
    const { system, log, clock } = setup();
    const ref = system.spawn(scripted(log), 'a');
    ref.tell(() => void system.shutdown());
    await ref.whenTerminated();
    expect(stops(log)).toEqual(['a']);

    const other = testSystem();
    other.system.spawn(scripted(log), 'b').tell(async ({ system: own }) => void (await own.shutdown(100)));
    await advance(other, 100);
    expect(await other.system.shutdown()).toMatchObject({ status: 'forced', forced: ['/user/b'] });
    expect(clock.pendingTimers).toBe(0);
  });

  it('rejects new top-level actors from the call on', async () => {
    const { system, log } = setup();
    const ended = system.shutdown();

    expect(() => system.spawn(scripted(log), 'late')).toThrow(ActorSystemStoppingError);
    await ended;
    expect(() => system.spawn(scripted(log), 'late')).toThrow(ActorSystemStoppingError);
  });

  it('stops actors that draining actors spawn', async () => {
    const { system, log, note } = setup();
    const ref = system.spawn(scripted(log), 'a');
    ref.tell((ctx) => {
      const child = ctx.spawn(scripted(log), 'child');
      child.tell((own) => own.spawn(scripted(log), 'grandchild').tell(note('message')));
    });

    expect(await system.shutdown()).toMatchObject({ status: 'completed', deadLetters: 0 });
    expect(log).toContain('grandchild message');
    expect(stops(log)).toEqual(['grandchild', 'child', 'a']);
  });

  it('starts actors that have not started yet, so that they handle their messages', async () => {
    const { system, log, note } = setup();
    system.spawn(scripted(log), 'a').tell(note('message'));

    await system.shutdown();

    expect(log).toEqual(['a setup', 'a PreStart', 'a message', 'a PostStop']);
  });

  it('does not wait for suspended actors; their messages become dead letters', async () => {
    const { system, log, note, deadLetters } = setup();
    const ref = system.spawn(scripted(log), 'a');
    await settle();
    ref.tell(Suspend);
    ref.tell(note('message'));

    expect(await system.shutdown()).toMatchObject({ status: 'completed', deadLetters: 1 });
    expect(stops(log)).toEqual(['a']);
    expect(deadLetters).toHaveLength(1);
  });

  it('does not wait for actors that are suspended while they drain', async () => {
    const { system, log, note, deadLetters } = setup();
    const busy = deferred();
    const ref = system.spawn(scripted(log), 'a');
    ref.tell(waitFor(busy.promise));
    ref.tell(note('message'));
    await settle();

    const ended = system.shutdown();
    await settle();
    ref.tell(Suspend);
    busy.resolve();

    expect(await ended).toMatchObject({ status: 'completed', deadLetters: 1 });
    expect(stops(log)).toEqual(['a']);
    expect(deadLetters).toHaveLength(1);
  });

  it('lets a failing actor restart and continue with its mailbox', async () => {
    const { system, log, note } = setup();
    const ref = system.spawn(scripted(log), 'a');
    for (const message of [failWith(new Error('boom')), note('next')]) ref.tell(message);

    expect(await system.shutdown()).toMatchObject({ status: 'completed', deadLetters: 0 });
    expect(log.slice(-3)).toEqual(['a PostRestart', 'a next', 'a PostStop']);
  });

  it('waits for a delayed restart while there is time', async () => {
    for (const [timeoutMs, status, handled] of [
      [200, 'completed', true],
      [50, 'forced', false],
    ] as const) {
      const { system, log, note, clock, deadLetters } = setup();
      const supervision = exponentialBackoff({ minMs: 100, maxMs: 100, jitter: 0 });
      const ref = system.spawn(Props.of(scripted(log), { supervision }), 'a');
      for (const message of [failWith(new Error('boom')), note('next')]) ref.tell(message);
      await settle();

      const ended = system.shutdown(timeoutMs);
      await advance({ clock }, timeoutMs);

      expect(await ended).toMatchObject({ status, stuck: [] });
      expect(log.includes('a next')).toBe(handled);
      expect(deadLetters).toHaveLength(handled ? 0 : 1);
      expect(stops(log)).toEqual(['a']);
      expect(clock.pendingTimers).toBe(0);
    }
  });

  it('releases timers of actors, asks and the scheduler', async () => {
    const { system, log, note, clock } = setup();
    const ref = system.spawn(scripted(log), 'a');
    ref.tell((ctx) => {
      ctx.timers.fixedRate('tick', note('tick'), 10);
      ctx.setReceiveTimeout(10);
    });
    system.scheduler.every(10, () => log.push('scheduled'));
    const asked = expect(ref.ask(() => () => undefined, { timeoutMs: 60_000 })).rejects.toMatchObject({
      code: 'ACTORS_UNDELIVERED',
    });
    await settle();

    await system.shutdown();
    await asked;
    await settle();
    expect(clock.pendingTimers).toBe(0);
    system.scheduler.once(10, () => log.push('late'));
    await advance({ clock }, 1_000);

    expect(log).toEqual(['a setup', 'a PreStart', 'a PostStop']);
  });

  it('completes events$ and deadLetters$ after the last actor; later messages become dead letters', async () => {
    const { system, log, note } = setup();
    const seen: string[] = [];
    system.events$.subscribe({
      next: (event) => event instanceof ActorStopped && seen.push(event.ref.name),
      complete: () => seen.push('events complete'),
    });
    system.deadLetters$.subscribe({ complete: () => seen.push('dead letters complete') });
    const ref = system.spawn(scripted(log), 'a');

    await system.shutdown();
    ref.tell(note('late'));

    expect(seen).toEqual(['a', 'user', 'events complete', 'dead letters complete']);
    expect(system.deadLetterCount).toBe(1);
    expect(system.recentDeadLetters()).toMatchObject([{ recipient: '/user/a', reason: 'stopped' }]);
    await expect(ref.ask(() => note('late'))).rejects.toMatchObject({ code: 'ACTORS_UNDELIVERED' });
  });

  it('survives a dead-letter subscriber that stops with messages waiting', async () => {
    const { system, deadLetters } = setup();
    const taken: unknown[] = [];
    const listener = system.spawn(
      Props.of(recorder<DeadLetter>(taken as DeadLetter[]), { mailbox: bounded(1) }),
      'listener',
    );
    system.events.subscribe(listener, DeadLetter);
    const throwing = system.spawn(
      Props.of(recorder<DeadLetter>([]), { mailbox: bounded(1, Overflow.Throw) }),
      'throwing',
    );
    system.events.subscribe(throwing, DeadLetter);
    const ended = system.spawn(Behavior.receive<number>(() => undefined));
    ended.tell(Kill);
    await ended.whenTerminated();

    for (let n = 0; n < 5; n++) expect(() => ended.tell(n)).not.toThrow();
    listener.tell(Kill);
    ended.tell(5);
    await system.shutdown();

    const numbers = deadLetters.map(({ message }) => message).filter((message) => typeof message === 'number');
    expect(numbers).toEqual([0, 1, 2, 3, 4, 5]);
  });
});

describe('ActorSystem.shutdown past its deadline', () => {
  it('force-stops remaining actors: dead letters, one PostStop each, bottom-up, and stuck actors named', async () => {
    const { system, log, note, clock, deadLetters } = setup();
    const middle = scripted(log, { onSetup: (ctx) => void ctx.spawn(scripted(log), 'leaf') });
    const top = scripted(log, { onSetup: (ctx) => void ctx.spawn(middle, 'middle') });
    system.spawn(top, 'top');
    system.spawn(scripted(log), 'other');
    await settle();
    class Slow {}
    const slow = system.spawn(
      Behavior.receive<Slow>(() => never),
      'slow',
    );
    slow.tell(new Slow());
    const leaf = system.lookup('/user/top/middle/leaf')!;
    leaf.tell(forEver);
    leaf.tell(note('never'));

    const ended = system.shutdown(1_000);
    await advance({ clock }, 999);
    expect(stops(log)).toEqual(['other']);
    await advance({ clock }, 1);

    const report = await ended;
    expect(report).toEqual({
      status: 'forced',
      durationMs: 1_000,
      forced: expect.arrayContaining([
        '/user/top/middle/leaf',
        '/user/top/middle',
        '/user/top',
        '/user/slow',
      ]) as string[],
      stuck: expect.arrayContaining([
        { path: '/user/slow', handling: 'Slow' },
        { path: '/user/top/middle/leaf', handling: 'function' },
      ]) as unknown[],
      deadLetters: 1,
    });
    expect(report.forced).toHaveLength(4);
    expect(report.stuck).toHaveLength(2);
    expect(stops(log)).toEqual(['other', 'leaf', 'middle', 'top']);
    expect(deadLetters).toMatchObject([{ recipient: '/user/top/middle/leaf', reason: 'stopped' }]);
    expect(clock.pendingTimers).toBe(0);
  });

  it.each<[string, Parameters<typeof scripted>[1], string]>([
    ['setup', { onSetup: () => never }, 'setup'],
    ['PreStart', { onSignal: (_ctx, signal) => (signal instanceof PreStart ? never : undefined) }, 'PreStart'],
    ['PreRestart', { onSignal: (_ctx, signal) => (signal instanceof PreRestart ? never : undefined) }, 'PreRestart'],
    ['PostRestart', { onSignal: (_ctx, signal) => (signal instanceof PostRestart ? never : undefined) }, 'PostRestart'],
    ['PostStop', { onSignal: (_ctx, signal) => (signal instanceof PostStop ? never : undefined) }, 'PostStop'],
  ])('names the step in which an actor is stuck: %s', async (_step, options, handling) => {
    const { system, log, clock } = setup();
    system.spawn(scripted(log, options), 'a').tell(failWith(new Error('boom')));
    await settle();

    const ended = system.shutdown(100);
    await advance({ clock }, 100);

    expect(await ended).toMatchObject({ forced: ['/user/a'], stuck: [{ path: '/user/a', handling }] });
    expect(stops(log).length).toBeLessThanOrEqual(1);
  });

  it('names the setup in which a restart is stuck', async () => {
    const { system, log, clock } = setup();
    let setups = 0;
    system
      .spawn(scripted(log, { onSetup: () => (setups++ > 0 ? never : undefined) }), 'a')
      .tell(failWith(new Error('boom')));
    await settle();

    const ended = system.shutdown(100);
    await advance({ clock }, 100);

    expect(await ended).toMatchObject({ stuck: [{ path: '/user/a', handling: 'setup' }] });
  });

  it('aborts ctx.signal of the remaining actors', async () => {
    const { system, log, clock } = setup();
    system.spawn(scripted(log), 'a').tell(async ({ signal }) => {
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
      log.push('aborted');
    });
    await settle();

    const ended = system.shutdown(100);
    await advance({ clock }, 100);
    await ended;
    await settle();

    expect(log.slice(-2)).toEqual(['a PostStop', 'aborted']);
  });

  it('ignores the late outcome of an abandoned handler', async () => {
    const { system, log, clock, deadLetters } = setup();
    const late = deferred<Behavior<Step> | void>();
    const failing = deferred();
    const starting = deferred();
    const seen = await unhandledDuring(async () => {
      system.spawn(scripted(log), 'a').tell(() => late.promise);
      system.spawn(scripted(log), 'b').tell(() => failing.promise);
      system.spawn(scripted(log, { onSetup: () => starting.promise }), 'c');
      await settle();
      const ended = system.shutdown(100);
      await advance({ clock }, 100);
      await ended;
      const before = [...log];
      late.resolve(scripted(log));
      failing.reject(new Error('late'));
      starting.reject(new Error('late'));
      await settle();
      expect(log).toEqual(before);
      expect(system.describe().children).toEqual([]);
    });

    expect(seen).toEqual([]);
    expect(deadLetters).toEqual([]);
    expect(system.failures).toBe(0);
  });

  it('does not wait for PostStop, and logs its late error', async () => {
    const { system, log, clock, logger } = setup();
    const closing = deferred();
    const onSignal =
      (result: () => Promise<void> | void) =>
      (_ctx: unknown, signal: Signal): Promise<void> | void =>
        signal instanceof PostStop ? result() : undefined;
    const behaviors = {
      never: () => never,
      rejects: () => closing.promise,
      throws: () => {
        throw new Error('cannot close');
      },
    };
    const seen = await unhandledDuring(async () => {
      for (const [name, result] of Object.entries(behaviors)) {
        system.spawn(scripted(log, { onSignal: onSignal(result) }), name).tell(forEver);
      }
      await settle();
      const ended = system.shutdown(100);
      await advance({ clock }, 100);
      expect(await ended).toMatchObject({ status: 'forced' });
      closing.reject(new Error('late'));
    });

    expect(seen).toEqual([]);
    expect(stops(log).sort()).toEqual(['never', 'rejects', 'throws']);
    const lines = logger.lines.join('\n');
    expect(lines).toContain('PostStop threw: Error: cannot close');
    expect(lines).toContain('PostStop threw: Error: late');
  });

  it('does not deliver PostStop again to an actor that is still handling it', async () => {
    const { system, log, clock } = setup();
    const closing = deferred();
    const onSignal = (_ctx: unknown, signal: Signal) => (signal instanceof PostStop ? closing.promise : undefined);
    system.spawn(scripted(log, { onSignal }), 'a');
    await settle();

    const ended = system.shutdown(100);
    await advance({ clock }, 100);
    await ended;
    closing.resolve();
    await settle();

    expect(stops(log)).toEqual(['a']);
  });

  it('does not run steps queued for a force-stopped actor', async () => {
    const { system, log, note, clock } = setup();
    const ref = system.spawn(scripted(log), 'a');
    ref.tell(forEver);
    await settle();
    const ended = system.shutdown(100);
    ref.tell(Kill);
    for (let i = 0; i < 10; i++) ref.tell(note(i));
    await advance({ clock }, 100);
    await ended;
    await settle();

    expect(log).toEqual(['a setup', 'a PreStart', 'a PostStop']);
  });
});

describe('ActorSystem.shutdown under load', () => {
  it.each(['in time', 'by force'])('loses nothing %s: every message is handled or a dead letter', async (how) => {
    const { system, clock } = testSystem({ logger: quiet, deadLetterBuffer: 0 });
    let sent = 0;
    let handled = 0;
    let lost = 0;
    system.deadLetters$.subscribe(() => lost++);
    const worker = (ctx: ActorContext<number>, left: number): void | Promise<void> => {
      handled++;
      // During the shutdown, some handlers send, some wait and some fail.
      if (left > 0) {
        const target = left % 7 === 0 ? ctx.self : workers[(left * 31) % workers.length]!;
        sent++;
        target.tell(left - 1);
      }
      if (left % 11 === 0) throw new Error('boom');
      if (left % 5 === 0) return Promise.resolve();
      if (how === 'by force' && left === 13) return never;
    };
    const workers = Array.from({ length: 50 }, () => system.spawn(Behavior.receive<number>(worker)));
    const feeder = system.spawn(
      Behavior.receive<number>((ctx, left) => {
        handled++;
        for (const ref of workers) {
          sent++;
          ref.tell(left % 40);
        }
        if (left > 0) {
          sent++;
          ctx.self.tell(left - 1);
        }
      }),
    );
    sent++;
    feeder.tell(500);

    await Promise.resolve();
    const ended = system.shutdown(1_000);
    if (how === 'by force') await advance({ clock }, 1_000);
    const report = await ended;
    for (const ref of workers) {
      sent++;
      ref.tell(1);
    }

    expect(report.status).toBe(how === 'by force' ? 'forced' : 'completed');
    expect(handled).toBeGreaterThan(500);
    expect(handled + system.deadLetterCount).toBe(sent);
    expect(report.deadLetters).toBe(lost);
  });
});
