import { deferred } from '@roost/kernel';
import { recorder, settle, testSystem } from '../actor-system.fixture.js';
import { Behavior } from '../behavior.js';
import { DeathPactError } from '../errors/death-pact.error.js';
import { NotAnActorError } from '../errors/not-an-actor.error.js';
import { ActorFailed } from '../observe/event-stream.js';
import { failWith, notes, scripted, type Step } from '../scripted-actor.fixture.js';
import { PostStop, type Signal, Terminated } from '../signals.js';
import { Kill, PoisonPill, Suspend, Resume, Unwatch, Watch } from '../system-messages.js';
import type { ActorRef } from '../actor-ref.js';

const setup = () => {
  const test = testSystem();
  const log: string[] = [];
  /** Paths of the stopped actors that the watcher was notified about. */
  const told: string[] = [];
  const onSignal = (_ctx: unknown, signal: Signal): void => {
    if (signal instanceof Terminated) told.push(signal.ref.path);
  };
  const target = test.system.spawn(scripted(log), 'target');
  const watcher = test.system.spawn(scripted(log, { onSignal }), 'watcher');
  const watch = (ref: ActorRef<never> = target): void => watcher.tell((ctx) => ctx.watch(ref));
  return { ...test, log, told, target, watcher, watch, note: notes(log) };
};

describe('ctx.watch', () => {
  it.each<[string, (target: ActorRef<Step>) => void]>([
    ['PoisonPill', (target) => target.tell(PoisonPill)],
    ['Kill', (target) => target.tell(Kill)],
    ['its own decision', (target) => target.tell(() => Behavior.stopped())],
  ])('notifies once when the actor stops by %s', async (_how, end) => {
    const { target, watch, told } = setup();
    watch();
    await settle();

    end(target);
    await settle();

    expect(told).toEqual(['/user/target']);
  });

  it('notifies when the actor stops by failure', async () => {
    const { system, watch, told } = setup();
    const failing = Behavior.setup(failWith(new Error('no')) as never);
    watch(system.spawn(failing, 'failing'));
    await settle();

    expect(told).toEqual(['/user/failing']);
  });

  it('notifies when the actor has already stopped', async () => {
    const { target, watch, told } = setup();
    target.tell(Kill);
    await target.whenTerminated();

    watch();
    await settle();

    expect(told).toEqual(['/user/target']);
  });

  it('notifies once, however often it was called, even if the actor has already stopped', async () => {
    const { target, watch, told } = setup();
    watch();
    watch();
    await settle();
    target.tell(Kill);
    watch();
    await settle();
    expect(told).toEqual(['/user/target']);

    watch();
    watch();
    await settle();

    // Watched again after the first notification, so notified again.
    expect(told).toHaveLength(2);
  });

  it('notifies after every message that the stopped actor sent', async () => {
    const { target, watcher, watch, log, note } = setup();
    watch();
    await settle();
    log.length = 0;

    target.tell(() => {
      for (let i = 1; i <= 3; i++) watcher.tell(note(i));
      return Behavior.stopped();
    });
    await settle();

    expect(log.filter((line) => line.startsWith('watcher'))).toEqual([
      ...['watcher 1', 'watcher 2', 'watcher 3'],
      'watcher Terminated',
    ]);
  });

  it('notifies after the PostStop of the stopped actor, even if that takes time', async () => {
    const { system, watch, told } = setup();
    const closing = deferred();
    const slow = system.spawn(recorder(), 'slow');
    const target = system.spawn(
      Behavior.receive<Step>((ctx, step) => step(ctx)).onSignal(() => closing.promise),
      'closing',
    );
    closing.resolve();
    watch(target);
    watch(slow);
    await settle();

    target.tell(PoisonPill);
    await settle();

    expect(told).toEqual(['/user/closing']);
  });

  it('notifies a parent of its child, whose name is free by then', async () => {
    const { system, log } = setup();
    const spawned: string[] = [];
    const parent = scripted(log, {
      onSetup: (ctx) => ctx.watch(ctx.spawn(scripted(log), 'child')),
      onSignal: (ctx, signal) => {
        if (signal instanceof Terminated) spawned.push(ctx.spawn(scripted(log), 'child').path);
      },
    });
    system.spawn(parent, 'parent');
    await settle();

    system.lookup('/user/parent/child')!.tell(Kill);
    await settle();

    expect(spawned).toEqual(['/user/parent/child']);
  });

  it('survives a restart of the watcher', async () => {
    const { target, watcher, watch, told } = setup();
    watch();
    watcher.tell(failWith(new Error('boom')));
    await settle();

    target.tell(Kill);
    await settle();

    expect(told).toEqual(['/user/target']);
  });

  it('keeps the notification for a suspended watcher', async () => {
    const { target, watcher, watch, told } = setup();
    watch();
    await settle();
    watcher.tell(Suspend);
    target.tell(Kill);
    await settle();
    expect(told).toEqual([]);

    watcher.tell(Resume);
    await settle();

    expect(told).toEqual(['/user/target']);
  });

  it('does nothing for the actor itself', async () => {
    const { watcher, watch, told } = setup();
    watch(watcher);
    watcher.tell(Kill);
    await watcher.whenTerminated();

    expect(told).toEqual([]);
  });

  it('creates no dead letter for a watcher that has stopped', async () => {
    const { target, watcher, watch, deadLetters } = setup();
    watch();
    await settle();

    watcher.tell(Kill);
    await settle();
    target.tell(Kill);
    await settle();

    expect(deadLetters).toEqual([]);
  });

  it('watches the owner of a message adapter', async () => {
    const { target, watch, told } = setup();
    let adapter: ActorRef<number> | undefined;
    target.tell((ctx) => void (adapter = ctx.messageAdapter<number>(() => () => undefined)));
    await settle();
    watch(adapter);
    await settle();

    target.tell(Kill);
    await settle();

    expect(told).toEqual(['/user/target']);
  });

  it('rejects a value that is not an actor', async () => {
    const { watcher, system } = setup();
    const errors: unknown[] = [];
    system.events$.subscribe((event) => event instanceof ActorFailed && errors.push(event.error));

    watcher.tell((ctx) => ctx.watch({ path: '/user/fake' } as ActorRef));
    await settle();

    expect(errors).toHaveLength(1);
    expect(errors[0]).toBeInstanceOf(NotAnActorError);
  });

  it('notifies each of several watchers, and retains no watchers that have stopped', async () => {
    const { system, target } = setup();
    const told: string[] = [];
    const watchers = Array.from({ length: 100 }, (_, n) =>
      system.spawn(
        Behavior.setup<never>((ctx) => {
          ctx.watch(target);
          return Behavior.receive<never>(() => undefined).onSignal((own, signal) => {
            if (signal instanceof Terminated) told.push(own.name);
          });
        }),
        `w${n}`,
      ),
    );
    await settle();
    for (const watcher of watchers.slice(0, 50)) watcher.tell(Kill);
    await settle();

    target.tell(Kill);
    await settle();

    expect(told).toEqual(watchers.slice(50).map(({ name }) => name));
  });
});

describe('ctx.unwatch', () => {
  it('cancels a watch', async () => {
    const { target, watcher, watch, told } = setup();
    watch();
    watcher.tell((ctx) => ctx.unwatch(target));
    await settle();

    target.tell(Kill);
    await settle();

    expect(told).toEqual([]);
  });

  it('discards a notification that is already in the mailbox', async () => {
    const { target, watcher, watch, told } = setup();
    const busy = deferred();
    watch();
    watcher.tell(async (ctx) => {
      await busy.promise;
      ctx.unwatch(target);
    });
    await settle();
    target.tell(Kill);
    await settle();

    busy.resolve();
    await settle();

    expect(told).toEqual([]);
  });

  it('discards a watchWith message that is already in the mailbox', async () => {
    const { target, watcher, log, note, deadLetters } = setup();
    const busy = deferred();
    watcher.tell(async (ctx) => {
      ctx.watchWith(target, note('gone'));
      await busy.promise;
      ctx.unwatch(target);
    });
    await settle();
    target.tell(Kill);
    await settle();

    busy.resolve();
    await settle();

    expect(log).not.toContain('watcher gone');
    expect(deadLetters).toEqual([]);
  });

  it('does nothing for an actor that is not watched', async () => {
    const { target, watcher, log, note } = setup();

    watcher.tell((ctx) => ctx.unwatch(target));
    watcher.tell(note('next'));
    await settle();

    expect(log).toContain('watcher next');
  });

  it('followed by another watch notifies once, even with the first notification in the mailbox', async () => {
    const { target, watcher, watch, told } = setup();
    const busy = deferred();
    watch();
    watcher.tell(async (ctx) => {
      await busy.promise;
      ctx.unwatch(target);
      ctx.watch(target);
    });
    await settle();
    target.tell(Kill);
    await settle();

    busy.resolve();
    await settle();

    expect(told).toEqual(['/user/target']);
  });
});

describe('ctx.watchWith', () => {
  it('sends the message instead of a signal', async () => {
    const { target, watcher, log, told, note } = setup();
    watcher.tell((ctx) => ctx.watchWith(target, note('gone')));
    await settle();

    target.tell(Kill);
    await settle();

    expect(log.at(-1)).toBe('watcher gone');
    expect(told).toEqual([]);
  });

  it('sends the message at once for an actor that has stopped', async () => {
    const { target, watcher, log, note } = setup();
    target.tell(Kill);
    await target.whenTerminated();

    watcher.tell((ctx) => ctx.watchWith(target, note('gone')));
    await settle();

    expect(log.at(-1)).toBe('watcher gone');
  });

  it('replaces a watch and is replaced by one: the last call counts', async () => {
    const { system, target, watcher, log, told, note } = setup();
    const other = system.spawn(scripted(log), 'other');
    watcher.tell((ctx) => {
      ctx.watch(target);
      ctx.watchWith(target, note('gone'));
      ctx.watchWith(other, note('never'));
      ctx.watch(other);
    });
    await settle();

    target.tell(Kill);
    other.tell(Kill);
    await settle();

    expect(told).toEqual(['/user/other']);
    expect(log).toContain('watcher gone');
    expect(log).not.toContain('watcher never');
  });

  it('is cancelled by unwatch', async () => {
    const { target, watcher, log, note } = setup();
    watcher.tell((ctx) => {
      ctx.watchWith(target, note('gone'));
      ctx.unwatch(target);
    });
    await settle();

    target.tell(Kill);
    await settle();

    expect(log).not.toContain('watcher gone');
  });

  it('turns its message into a dead letter when the watcher stops before handling it', async () => {
    const { target, watcher, note, deadLetters } = setup();
    const busy = deferred();
    const gone = note('gone');
    watcher.tell(async (ctx) => {
      ctx.watchWith(target, gone);
      await busy.promise;
    });
    await settle();
    target.tell(Kill);
    await settle();

    watcher.tell(Kill);
    busy.resolve();
    await watcher.whenTerminated();

    expect(deadLetters).toMatchObject([{ message: gone, reason: 'stopped', recipient: '/user/watcher' }]);
  });

  it('turns its message into a dead letter when the watcher is stopping', async () => {
    const { system, target, note, deadLetters } = setup();
    const closing = deferred();
    const gone = note('gone');
    const behavior = Behavior.receive<Step>((ctx, step) => step(ctx)).onSignal((_ctx, signal) =>
      signal instanceof PostStop ? closing.promise : undefined,
    );
    const watcher = system.spawn(behavior, 'ending');
    watcher.tell((ctx) => ctx.watchWith(target, gone));
    watcher.tell(PoisonPill);
    await settle();

    target.tell(Kill);
    await settle();

    expect(deadLetters).toMatchObject([{ message: gone, reason: 'stopped', recipient: '/user/ending' }]);
    closing.resolve();
    await watcher.whenTerminated();
  });

  it('handles the message like any other: the handler may fail, wait or stop', async () => {
    const { system, target, watcher, log } = setup();
    watcher.tell((ctx) => ctx.watchWith(target, failWith(new Error('boom'))));
    await settle();
    target.tell(Kill);
    await settle();
    expect(log.at(-1)).toBe('watcher PostRestart');

    const other = system.spawn(scripted(log), 'other');
    watcher.tell((ctx) => ctx.watchWith(other, () => Promise.resolve(Behavior.stopped())));
    await settle();
    other.tell(Kill);
    await watcher.whenTerminated();

    expect(log.at(-1)).toBe('watcher PostStop');
  });
});

describe('a death pact', () => {
  it.each<[string, (behavior: Behavior<Step>) => Behavior<Step>]>([
    ['without a signal handler', (behavior) => behavior],
    ['whose signal handler returns unhandled', (behavior) => behavior.onSignal(() => Behavior.unhandled())],
    [
      'whose signal handler returns a promise of unhandled',
      (behavior) => behavior.onSignal(() => Promise.resolve(Behavior.unhandled())),
    ],
  ])('fails a watcher %s with DeathPactError', async (_how, withHandler) => {
    const { system, target } = setup();
    const errors: unknown[] = [];
    system.events$.subscribe((event) => event instanceof ActorFailed && errors.push(event.error));
    const behavior = withHandler(Behavior.receive<Step>((ctx, step) => step(ctx)));
    system.spawn(behavior, 'loyal').tell((ctx) => ctx.watch(target));
    await settle();

    target.tell(Kill);
    await settle();

    expect(errors).toHaveLength(1);
    expect(errors[0]).toBeInstanceOf(DeathPactError);
    expect(errors[0]).toMatchObject({ path: '/user/loyal', ended: '/user/target', code: 'ACTORS_DEATH_PACT' });
  });

  it('is not triggered by other unhandled signals', async () => {
    const { system } = setup();
    const behavior = Behavior.receive<Step>((ctx, step) => step(ctx)).onSignal(() => Behavior.unhandled());
    const ref = system.spawn(behavior, 'loyal');
    ref.tell((ctx) => ctx.spawn(behavior, 'child').tell(failWith(new Error('boom'))));
    await settle();

    expect(system.failures).toBe(1);
    expect(system.describe().children.at(-1)).toMatchObject({ name: 'loyal', restarts: 0 });
  });
});

describe('the system messages Watch and Unwatch', () => {
  it('do the same as ctx.watch and ctx.unwatch', async () => {
    const { system, log, target, watcher, told } = setup();
    const other = system.spawn(scripted(log), 'other');
    target.tell(new Watch(watcher));
    other.tell(new Watch(watcher));
    other.tell(new Unwatch(watcher));

    target.tell(Kill);
    other.tell(Kill);
    await settle();

    expect(told).toEqual(['/user/target']);
  });

  it('work on a target that has stopped', async () => {
    const { target, watcher, told } = setup();
    target.tell(Kill);
    await target.whenTerminated();

    target.tell(new Watch(watcher));
    await settle();

    expect(told).toEqual(['/user/target']);
  });
});
