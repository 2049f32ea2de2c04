import { deferred } from '@roost/kernel';
import { advance, settle, settleUntil, testSystem } from '../actor-system.fixture.js';
import type { ActorRef } from '../actor-ref.js';
import { Behavior } from '../behavior.js';
import { ActorFailed } from '../observe/event-stream.js';
import type { ActorSystemOptions } from '../options.js';
import { type ActorOptions, Props } from '../props.js';
import { failWith, notes, scripted, type ScriptedOptions, type Step, waitFor } from '../scripted-actor.fixture.js';
import { ChildFailed } from '../signals.js';
import { Kill, PoisonPill, Resume, Suspend } from '../system-messages.js';
import { Directive } from './directive.js';
import { allForOne } from './all-for-one.strategy.js';
import { exponentialBackoff } from './exponential-backoff.strategy.js';
import { oneForOne } from './one-for-one.strategy.js';
import type { SupervisionStrategy } from './strategy.js';

const BOOM = new Error('boom');
const boom = failWith(BOOM);
const always = (directive: Directive): SupervisionStrategy => oneForOne({ decide: () => directive });

const setup = (options: ActorSystemOptions = {}) => {
  const test = testSystem(options);
  const { system } = test;
  const log: string[] = [];
  const failures: string[] = [];
  system.events$.subscribe((event) => {
    if (event instanceof ActorFailed) failures.push(`${event.ref.name} ${event.directive}`);
  });
  /** Spawns `parent` with the given children; the options apply to the parent. */
  const family = async (children: Record<string, ActorOptions>, options: ActorOptions & ScriptedOptions = {}) => {
    const { onSetup, onSignal, ...props } = options;
    const behavior = scripted(log, {
      onSetup: (ctx) => {
        for (const [name, own] of Object.entries(children)) ctx.spawn(Props.of(scripted(log), own), name);
        return onSetup?.(ctx);
      },
      ...(onSignal && { onSignal }),
    });
    const parent = system.spawn(Props.of(behavior, props), 'parent');
    await settle();
    log.length = 0;
    return parent;
  };
  const at = (path: string): ActorRef<Step> => system.lookup(`/user/${path}`)!;
  const describeAll = (): Record<string, string> => {
    const all: Record<string, string> = {};
    const add = (actor: ReturnType<typeof system.describe>): void => {
      all[actor.name] = `${actor.state} ${actor.restarts}`;
      actor.children.forEach(add);
    };
    system.describe().children.forEach(add);
    return all;
  };
  return { ...test, log, failures, note: notes(log), family, at, describeAll };
};

const RESTARTED = ['PreRestart', 'setup', 'PostRestart'];
const lines = (name: string, events: string[]): string[] => events.map((event) => `${name} ${event}`);

describe('supervision directives', () => {
  it.each<[string, Step]>([
    ['a throw', boom],
    ['a rejection', () => Promise.reject(BOOM)],
    ['a result that is not a behavior', () => 7 as never],
    ['a promise of a result that is not a behavior', () => Promise.resolve(7) as never],
    ['a setup that throws', () => Behavior.setup(failWith(BOOM) as never)],
    ['a setup that returns an invalid behavior', () => Behavior.setup(() => Behavior.same())],
    ['a thrown undefined', failWith(undefined)],
  ])('Resume continues with the next message and keeps the instance, after %s', async (_what, failing) => {
    const { system, log, note, failures } = setup({ supervision: always(Directive.Resume) });
    const ref = system.spawn(scripted(log), 'a');

    ref.tell(failing);
    ref.tell(note('next'));
    await settle();

    expect(log).toEqual(['a setup', 'a PreStart', 'a next']);
    expect(failures).toEqual(['a resume']);
  });

  it('Restart replaces the instance', async () => {
    const { system, log, note, failures } = setup({ supervision: always(Directive.Restart) });
    const ref = system.spawn(scripted(log), 'a');

    ref.tell(boom);
    ref.tell(note('next'));
    await settle();

    expect(log).toEqual(['a setup', 'a PreStart', ...lines('a', RESTARTED), 'a next']);
    expect(failures).toEqual(['a restart']);
  });

  it('Stop stops the actor, and waiting messages become dead letters', async () => {
    const { system, log, note, failures, deadLetters } = setup({ supervision: always(Directive.Stop) });
    const ref = system.spawn(scripted(log), 'a');

    ref.tell(boom);
    ref.tell(note('next'));
    await ref.whenTerminated();

    expect(log).toEqual(['a setup', 'a PreStart', 'a PostStop']);
    expect(failures).toEqual(['a stop']);
    expect(deadLetters).toHaveLength(1);
  });

  it('Escalate makes the parent fail with the same error, while the child waits', async () => {
    const { family, at, log, failures, note } = setup();
    const errors: unknown[] = [];
    const decide = (error: unknown): Directive => (errors.push(error), Directive.Resume);
    await family({ child: {} }, { supervision: oneForOne({ decide }), childSupervision: always(Directive.Escalate) });

    at('parent/child').tell(boom);
    at('parent/child').tell(note('next'));
    await settle();

    expect(errors).toEqual([BOOM]);
    expect(failures).toEqual(['child escalate', 'parent resume']);
    // The lines come from two actors, so their order is not fixed.
    expect(log.sort()).toEqual(['child next', 'parent ChildFailed']);
  });

  it('send ChildFailed to the parent, whatever the directive is', async () => {
    for (const directive of [Directive.Resume, Directive.Restart, Directive.Stop]) {
      const { family, at } = setup();
      const seen: unknown[] = [];
      await family(
        { child: { supervision: always(directive) } },
        {
          onSignal: (_ctx, signal) =>
            void (signal instanceof ChildFailed && seen.push(signal.child.path, signal.error)),
        },
      );

      at('parent/child').tell(boom);
      await settle();

      expect(seen).toEqual(['/user/parent/child', BOOM]);
    }
  });

  it.each<[string, unknown]>([
    ['throws', failWith(new Error('decider'))],
    ['returns garbage', () => 'reboot'],
    ['returns a promise', () => Promise.resolve(Directive.Resume)],
  ])('fall back to Stop, with a log line, for a decider that %s', async (_how, decide) => {
    const { system, log, failures, logger } = setup({ supervision: oneForOne({ decide: decide as () => Directive }) });
    const ref = system.spawn(scripted(log), 'a');

    ref.tell(boom);
    await ref.whenTerminated();

    expect(failures).toEqual(['a stop']);
    expect(logger.lines.join('\n')).toContain('its supervision strategy failed, so the actor is stopped');
  });
});

describe('the deciding supervision strategy', () => {
  const options = (own: Partial<Record<'behavior' | 'props' | 'parent' | 'system', Directive>>) => ({
    system: { ...(own.system && { supervision: always(own.system) }) },
    parent: { ...(own.parent && { childSupervision: always(own.parent) }) },
    props: { ...(own.props && { supervision: always(own.props) }) },
    behavior: (behavior: Behavior<Step>) =>
      own.behavior ? Behavior.supervise(behavior, always(own.behavior)) : behavior,
  });

  it.each<[Parameters<typeof options>[0], Directive]>([
    [{ behavior: Directive.Resume, props: Directive.Stop, parent: Directive.Stop, system: Directive.Stop }, 'resume'],
    [{ props: Directive.Resume, parent: Directive.Stop, system: Directive.Stop }, 'resume'],
    [{ parent: Directive.Resume, system: Directive.Stop }, 'resume'],
    [{ system: Directive.Resume }, 'resume'],
    [{}, 'restart'],
    [{ behavior: Directive.Escalate, props: Directive.Resume, parent: Directive.Stop }, 'resume'],
    [{ behavior: Directive.Escalate, parent: Directive.Resume }, 'resume'],
    [{ behavior: Directive.Escalate, props: Directive.Escalate, system: Directive.Resume }, 'resume'],
    [{ behavior: Directive.Escalate, props: Directive.Escalate, parent: Directive.Escalate }, 'escalate'],
  ])('decides, with %j, to %s', async (own, expected) => {
    const given = options(own);
    const { system, log, failures } = setup(given.system);
    const parent = scripted(log, {
      onSetup: (ctx) => ctx.spawn(Props.of(given.behavior(scripted(log)), given.props), 'child').tell(boom),
    });

    system.spawn(Props.of(parent, given.parent), 'parent');
    await settle();

    expect(failures[0]).toBe(`child ${expected}`);
  });

  it('is that of the handling behavior, even one returned by a setup or a handler', async () => {
    const { system, failures, log } = setup();
    const ref = system.spawn(
      Behavior.setup<Step>(() => Behavior.supervise(scripted(log), always(Directive.Resume))),
      'a',
    );
    ref.tell(boom);
    ref.tell(() => Behavior.supervise(scripted(log), always(Directive.Stop)));
    ref.tell(boom);
    await ref.whenTerminated();

    expect(failures).toEqual(['a resume', 'a stop']);
  });

  it('is kept when the actor switches to a behavior without supervision', async () => {
    const { system, failures, log } = setup();
    const ref = system.spawn(Behavior.supervise(scripted(log), always(Directive.Resume)), 'a');

    ref.tell(() => Behavior.receive<Step>((ctx, step) => step(ctx)));
    ref.tell(boom);
    await settle();

    expect(failures).toEqual(['a resume']);
  });

  it('of an asynchronous setup is the supervision around it', async () => {
    const { system, failures, log } = setup();
    const asynchronous = Behavior.setup<Step>(() => Promise.resolve(scripted(log)));
    const ref = system.spawn(Behavior.supervise(asynchronous, always(Directive.Resume)), 'a');

    ref.tell(boom);
    await settle();

    expect(failures).toEqual(['a resume']);
  });
});

describe('escalation', () => {
  const escalating = { childSupervision: always(Directive.Escalate) };

  it('moves up until a strategy decides, and a restart includes all actors below', async () => {
    const { system, log, failures, note } = setup();
    const chain = (depth: number): Behavior<Step> =>
      scripted(log, {
        onSetup: (ctx) => {
          if (depth > 0) ctx.spawn(Props.of(chain(depth - 1), escalating), `level${depth - 1}`);
        },
      });
    const ref = system.spawn(Props.of(chain(3), escalating), 'level3');
    await settle();
    log.length = 0;

    system.lookup('/user/level3/level2/level1/level0')!.tell(boom);
    ref.tell(note('next'));
    await settle();

    expect(failures).toEqual(['level0 escalate', 'level1 escalate', 'level2 escalate', 'level3 restart']);
    expect(log.filter((line) => /PostStop|PreRestart|setup|PostRestart/.test(line))).toEqual([
      ...['level3 PreRestart', 'level0 PostStop', 'level1 PostStop', 'level2 PostStop'],
      ...['level3 setup', 'level3 PostRestart', 'level2 setup', 'level1 setup', 'level0 setup'],
    ]);
  });

  it('becomes a Stop at the top level', async () => {
    const { system, log, failures } = setup({ supervision: always(Directive.Escalate) });
    const other = system.spawn(scripted(log), 'other');
    const top = system.spawn(scripted(log, { onSetup: (ctx) => void ctx.spawn(scripted(log), 'child') }), 'top');
    await settle();

    system.lookup('/user/top/child')!.tell(boom);
    await top.whenTerminated();

    expect(failures).toEqual(['child escalate', 'top stop']);
    expect(log.slice(-2)).toEqual(['child PostStop', 'top PostStop']);
    expect(system.lookup('/user/other')).toBe(other);
  });

  it('waits for a busy parent', async () => {
    const { family, at, log, failures } = setup();
    const busy = deferred();
    const parent = await family({ child: {} }, escalating);
    parent.tell(waitFor(busy.promise));
    await settle();

    at('parent/child').tell(boom);
    await settle();
    expect(failures).toEqual(['child escalate']);
    busy.resolve();
    await settle();

    expect(failures).toEqual(['child escalate', 'parent restart']);
    expect(log).toContain('child PostStop');
  });

  it('reaches a suspended parent, which stays suspended', async () => {
    const { family, at, failures, describeAll } = setup();
    const parent = await family({ child: {} }, escalating);
    parent.tell(Suspend);

    at('parent/child').tell(boom);
    await settle();

    expect(failures).toEqual(['child escalate', 'parent restart']);
    expect(describeAll()).toEqual({ parent: 'suspended 1', child: 'running 0' });
    parent.tell(Resume);
    await settle();
    expect(describeAll()).toMatchObject({ parent: 'running 1' });
  });

  it('becomes a Stop when the parent is stopping', async () => {
    const { family, at, failures, log, note } = setup();
    const busy = deferred();
    const parent = await family({ child: {} }, escalating);
    at('parent/child').tell(waitFor(busy.promise));
    at('parent/child').tell(note('never'));
    await settle();
    parent.tell(PoisonPill);
    await settle();

    busy.reject(BOOM);
    await parent.whenTerminated();

    expect(failures).toEqual(['child stop']);
    expect(log).toEqual(['child PostStop', 'parent PostStop']);
  });

  it('does not prevent a busy parent from being killed', async () => {
    const { family, at, log, failures } = setup();
    const busy = deferred();
    const parent = await family({ child: {} }, escalating);
    parent.tell(waitFor(busy.promise));
    await settle();
    at('parent/child').tell(boom);
    parent.tell(Kill);
    await settle();

    busy.resolve();
    await parent.whenTerminated();

    expect(failures[0]).toBe('child escalate');
    expect(log.filter((line) => line.endsWith('PostStop'))).toEqual(['child PostStop', 'parent PostStop']);
  });

  it("keeps the child's messages until the parent resumes", async () => {
    const { family, at, log, note } = setup();
    const busy = deferred();
    const parent = await family({ child: {} }, { ...escalating, supervision: always(Directive.Resume) });
    parent.tell(waitFor(busy.promise));
    await settle();
    at('parent/child').tell(boom);
    for (const text of [1, 2]) at('parent/child').tell(note(text));
    await settle();
    expect(log).toEqual([]);

    busy.resolve();
    await settle();

    expect(log.filter((line) => line.startsWith('child'))).toEqual(['child 1', 'child 2']);
  });

  it('reaches the parent even if the child is killed in between', async () => {
    const { family, at, failures } = setup();
    const busy = deferred();
    const parent = await family({ child: {} }, { ...escalating, supervision: always(Directive.Resume) });
    parent.tell(waitFor(busy.promise));
    const child = at('parent/child');
    await settle();
    child.tell(boom);
    await settle();
    child.tell(Kill);
    await child.whenTerminated();

    busy.resolve();
    await settle();

    expect(failures).toEqual(['child escalate', 'parent resume']);
  });

  it('of very many children at once takes linear time', async () => {
    const { system, failures } = setup({
      logger: { log: () => undefined, warn: () => undefined, error: () => undefined },
    });
    const count = 100_000;
    const quiet = Behavior.receive<Step>((ctx, step) => step(ctx));
    const parent = Behavior.setup<Step>((ctx) => {
      for (let i = 0; i < count; i++) ctx.spawn(quiet).tell(boom);
      return quiet;
    });

    system.spawn(Props.of(parent, { ...escalating, supervision: always(Directive.Resume) }));
    await settleUntil(() => failures.length === 2 * count);

    expect(failures.filter((failure) => failure.endsWith('resume'))).toHaveLength(count);
  }, 20_000);
});

describe('oneForOne', () => {
  it('leaves siblings alone', async () => {
    const { family, at, describeAll } = setup();
    await family({ x: {}, y: {} });

    at('parent/x').tell(boom);
    await settle();

    expect(describeAll()).toEqual({ parent: 'running 0', x: 'running 1', y: 'running 0' });
  });

  it('allows each actor exactly maxRetries restarts', async () => {
    const { system, log, failures } = setup({ supervision: oneForOne({ maxRetries: 3 }) });
    const ref = system.spawn(scripted(log), 'a');

    for (let i = 0; i < 5; i++) ref.tell(boom);
    await ref.whenTerminated();

    expect(system.restarts).toBe(3);
    expect(failures).toHaveLength(4);
    expect(log.filter((line) => line === 'a PostRestart')).toHaveLength(3);
    expect(log.at(-1)).toBe('a PostStop');
  });

  it('counts per child: twenty children that fail once each all survive a limit of one', async () => {
    const { family, at, describeAll } = setup();
    const names = Array.from({ length: 20 }, (_, n) => `c${n}`);
    await family(Object.fromEntries(names.map((name) => [name, {}])), {
      childSupervision: oneForOne({ maxRetries: 1 }),
    });

    for (const name of names) at(`parent/${name}`).tell(boom);
    await settle();

    expect(describeAll()).toEqual({
      parent: 'running 0',
      ...Object.fromEntries(names.map((name) => [name, 'running 1'])),
    });
  });

  it('counts only within the window', async () => {
    const { system, log, clock, describeAll } = setup({ supervision: oneForOne({ maxRetries: 1, windowMs: 1_000 }) });
    const ref = system.spawn(scripted(log), 'a');
    ref.tell(boom);
    await advance({ clock }, 1_000);

    ref.tell(boom);
    await settle();
    expect(describeAll()).toEqual({ a: 'running 2' });
    await advance({ clock }, 999);
    ref.tell(boom);
    await ref.whenTerminated();

    expect(describeAll()).toEqual({});
  });

  it('stops the actor at the first failure with a limit of 0', async () => {
    const { system, log } = setup({ supervision: oneForOne({ maxRetries: 0 }) });
    const ref = system.spawn(scripted(log), 'a');
    ref.tell(boom);
    await ref.whenTerminated();

    expect(log).toEqual(['a setup', 'a PreStart', 'a PostStop']);
  });

  it('does not count resumed failures', async () => {
    const decide = (error: unknown): Directive => (error === BOOM ? Directive.Restart : Directive.Resume);
    const { system, log, describeAll } = setup({ supervision: oneForOne({ maxRetries: 1, decide }) });
    const ref = system.spawn(scripted(log), 'a');

    for (let i = 0; i < 5; i++) ref.tell(failWith('small'));
    ref.tell(boom);
    await settle();

    expect(describeAll()).toEqual({ a: 'running 1' });
  });
});

describe('allForOne', () => {
  const all = (options = {}): ActorOptions => ({ childSupervision: allForOne(options) });

  it('restarts all siblings, each with its mailbox', async () => {
    const { family, at, log, note, describeAll } = setup();
    await family({ x: {}, y: {}, z: {} }, all());

    at('parent/x').tell(boom);
    for (const name of ['x', 'y', 'z']) at(`parent/${name}`).tell(note('next'));
    await settle();

    expect(describeAll()).toEqual({ parent: 'running 0', x: 'running 1', y: 'running 1', z: 'running 1' });
    for (const name of ['x', 'y', 'z']) {
      expect(log.filter((line) => line.startsWith(name) && line !== `${name} next`)).toEqual(lines(name, RESTARTED));
      expect(log.filter((line) => line === `${name} next`)).toHaveLength(1);
    }
  });

  it('waits for a busy sibling and then restarts it', async () => {
    const { family, at, log, describeAll } = setup();
    const busy = deferred();
    await family({ x: {}, y: {} }, all());
    at('parent/y').tell(async () => {
      await busy.promise;
      log.push('y finished');
    });
    await settle();

    at('parent/x').tell(boom);
    await settle();
    expect(describeAll()).toMatchObject({ x: 'running 1', y: 'running 0' });
    busy.resolve();
    await settle();

    expect(log.filter((line) => line.startsWith('y'))).toEqual(['y finished', ...lines('y', RESTARTED)]);
  });

  it('restarts a starting sibling once it has started', async () => {
    const { system, log, describeAll } = setup();
    const ready = deferred();
    const parent = scripted([], {
      onSetup: (ctx) => {
        ctx.spawn(scripted(log, { onSetup: () => (log.includes('y PreStart') ? undefined : ready.promise) }), 'y');
        ctx.spawn(scripted(log), 'x').tell(boom);
      },
    });
    system.spawn(Props.of(parent, all()), 'parent');
    await settle();

    ready.resolve();
    await settle();

    expect(log.filter((line) => line.startsWith('y'))).toEqual(['y setup', 'y PreStart', ...lines('y', RESTARTED)]);
    expect(describeAll()).toMatchObject({ x: 'running 1', y: 'running 1' });
  });

  it('restarts a suspended sibling, which stays suspended', async () => {
    const { family, at, describeAll, log } = setup();
    await family({ x: {}, y: {} }, all());
    at('parent/y').tell(Suspend);

    at('parent/x').tell(boom);
    await settle();

    expect(describeAll()).toMatchObject({ x: 'running 1', y: 'suspended 1' });
    expect(log).toContain('y PostRestart');
  });

  it('leaves a stopping sibling alone', async () => {
    const { family, at, log } = setup();
    const busy = deferred();
    await family({ x: {}, y: {} }, all());
    const y = at('parent/y');
    y.tell(waitFor(busy.promise));
    await settle();
    y.tell(Kill);
    at('parent/x').tell(boom);
    await settle();

    busy.resolve();
    await y.whenTerminated();

    expect(log.filter((line) => line.startsWith('y'))).toEqual(['y PostStop']);
  });

  it('does not count the restart of a sibling against its own limit', async () => {
    const { family, at, describeAll } = setup();
    await family({ x: {}, y: {} }, all({ maxRetries: 1 }));

    at('parent/x').tell(boom);
    await settle();
    at('parent/y').tell(boom);
    await settle();

    expect(describeAll()).toEqual({ parent: 'running 0', x: 'running 2', y: 'running 2' });
  });

  it('stops all siblings with Stop', async () => {
    const { family, at, log, note, deadLetters, describeAll } = setup();
    await family({ x: {}, y: {}, z: {} }, all({ decide: () => Directive.Stop }));

    at('parent/x').tell(boom);
    at('parent/y').tell(note('never or before'));
    await settle();

    expect(describeAll()).toEqual({ parent: 'running 0' });
    expect(log.filter((line) => line.endsWith('PostStop')).sort()).toEqual(['x PostStop', 'y PostStop', 'z PostStop']);
    expect(log.filter((line) => line === 'y never or before').length + deadLetters.length).toBe(1);
  });

  it('stops all siblings when one exceeds its limit', async () => {
    const { family, at, describeAll } = setup();
    await family({ x: {}, y: {} }, all({ maxRetries: 1 }));

    for (let i = 0; i < 2; i++) at('parent/x').tell(boom);
    await settle();

    expect(describeAll()).toEqual({ parent: 'running 0' });
  });

  it('delays siblings by the same backoff', async () => {
    const { family, at, clock, describeAll } = setup();
    await family({ x: {}, y: {} }, all({ backoff: { minMs: 100, maxMs: 100, jitter: 0 } }));

    at('parent/x').tell(boom);
    await advance({ clock }, 99);
    expect(describeAll()).toMatchObject({ x: 'suspended 1', y: 'suspended 1' });
    await advance({ clock }, 1);

    expect(describeAll()).toMatchObject({ x: 'running 1', y: 'running 1' });
  });

  it('resumes only the failed actor', async () => {
    const { family, at, log } = setup();
    await family({ x: {}, y: {} }, all({ decide: () => Directive.Resume }));

    at('parent/x').tell(boom);
    await settle();

    expect(log).toEqual(['parent ChildFailed']);
  });
});

describe('exponentialBackoff', () => {
  const restartsAt = async (strategy: SupervisionStrategy, failures: number, random = () => 0): Promise<number[]> => {
    const { system, log, clock } = setup({ supervision: strategy, random });
    const times: number[] = [];
    const onSignal = (): void => void times.push(clock.monotonic());
    const ref = system.spawn(Behavior.receive<Step>((ctx, step) => step(ctx)).onSignal(onSignal));
    for (let i = 0; i < failures; i++) ref.tell(boom);
    await advance({ clock }, 100_000);
    expect(log).toEqual([]);
    // After PreStart, PreRestart and PostRestart alternate.
    return times.slice(1).flatMap((time, i, all) => (i % 2 === 1 ? [time - all[i - 1]!] : []));
  };

  it('waits longer each time, up to the maximum', async () => {
    const delays = await restartsAt(exponentialBackoff({ minMs: 100, maxMs: 1_000, jitter: 0 }), 6);

    expect(delays).toEqual([100, 200, 400, 800, 1_000, 1_000]);
  });

  it('does not start over because the delay itself took as long as resetAfterMs', async () => {
    const delays = await restartsAt(exponentialBackoff({ minMs: 100, maxMs: 200, jitter: 0, resetAfterMs: 200 }), 5);

    expect(delays).toEqual([100, 200, 200, 200, 200]);
  });

  it('shortens delays randomly', async () => {
    const delays = await restartsAt(exponentialBackoff({ minMs: 100, maxMs: 1_000, jitter: 0.5 }), 3, () => 0.5);

    expect(delays).toEqual([75, 150, 300]);
  });

  it('starts over after the actor has run for resetAfterMs', async () => {
    const supervision = exponentialBackoff({ minMs: 100, maxMs: 1_000, jitter: 0, resetAfterMs: 500 });
    const { system, log, clock, describeAll } = setup({ supervision });
    const ref = system.spawn(scripted(log), 'a');
    const failAndWait = async (ms: number): Promise<string | undefined> => {
      ref.tell(boom);
      await advance({ clock }, ms);
      return describeAll()['a'];
    };

    expect(await failAndWait(100)).toBe('running 1');
    expect(await failAndWait(199)).toBe('suspended 2');
    await advance({ clock }, 1 + 499);
    expect(await failAndWait(399)).toBe('suspended 3');
    await advance({ clock }, 1 + 500);
    expect(await failAndWait(100)).toBe('running 4');
  });

  it('stops at the restart limit, if there is one', async () => {
    const supervision = exponentialBackoff({ minMs: 10, maxMs: 10, maxRetries: 2 });
    const { system, log, clock } = setup({ supervision });
    const ref = system.spawn(scripted(log), 'a');
    for (let i = 0; i < 3; i++) ref.tell(boom);
    await advance({ clock }, 100);

    await ref.whenTerminated();
    expect(system.restarts).toBe(2);
  });

  it('starts the delay after the children have stopped', async () => {
    const { system, log, clock } = setup();
    const busy = deferred();
    const parent = scripted(log, {
      onSetup: (ctx) => {
        if (log.length === 1) ctx.spawn(scripted(log), 'child').tell(waitFor(busy.promise));
      },
    });
    const supervision = exponentialBackoff({ minMs: 100, maxMs: 100, jitter: 0 });
    const ref = system.spawn(Props.of(parent, { supervision }), 'a');
    await settle();
    ref.tell(boom);
    await advance({ clock }, 500);
    expect(log.at(-1)).toBe('a PreRestart');

    busy.resolve();
    await advance({ clock }, 99);
    expect(log.at(-1)).toBe('child PostStop');
    await advance({ clock }, 1);

    expect(log.at(-1)).toBe('a PostRestart');
  });
});
