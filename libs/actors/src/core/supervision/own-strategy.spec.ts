import { advance, settle, testSystem } from '../actor-system.fixture.js';
import { Behavior } from '../behavior.js';
import { ActorFailed } from '../observe/event-stream.js';
import { type ActorOptions, Props } from '../props.js';
import { failWith, scripted, type Step } from '../scripted-actor.fixture.js';
import { Directive } from './directive.js';
import type { ActorFailure, SupervisionDecision, SupervisionStrategy } from './strategy.js';

const BOOM = new Error('boom');
const boom = failWith(BOOM);

/** A parent with two children, `a` and `b`, that use the strategy. The children write to the log. */
async function family(strategy: SupervisionStrategy, ofParent: ActorOptions = {}) {
  const test = testSystem();
  const log: string[] = [];
  const directives: string[] = [];
  test.system.events$.subscribe((event) => {
    if (event instanceof ActorFailed) directives.push(`${event.ref.name} ${event.directive}`);
  });
  const parent = scripted([], {
    onSetup: (ctx) => {
      for (const name of ['a', 'b']) ctx.spawn(Props.of(scripted(log), { supervision: strategy }), name);
    },
  });
  test.system.spawn(Props.of(parent, ofParent), 'parent');
  await settle();
  log.length = 0;
  const tell = async (name: string, step: Step): Promise<void> => {
    test.system.lookup(`/user/parent/${name}`)?.tell(step);
    await settle();
  };
  return { ...test, log, directives, tell };
}

const deciding = (decide: (failure: ActorFailure) => Directive | SupervisionDecision): SupervisionStrategy => ({
  decide,
});

describe('a user-defined supervision strategy', () => {
  it('gets the error, the actor and its restarts', async () => {
    const seen: unknown[] = [];
    const strategy = deciding(({ error, actor, restarts, random, canResume, canEscalate }) => {
      seen.push([error, actor.path, restarts.count, restarts.within(1_000), restarts.inARow(50)]);
      expect([random() < 1, canResume, canEscalate]).toEqual([true, true, true]);
      return Directive.Restart;
    });
    const test = await family(strategy);

    await test.tell('a', boom);
    await test.tell('a', boom);
    await advance(test, 50);
    await test.tell('a', boom);

    expect(seen).toEqual([
      [BOOM, '/user/parent/a', 0, 0, 0],
      [BOOM, '/user/parent/a', 1, 1, 1],
      [BOOM, '/user/parent/a', 2, 2, 0],
    ]);
  });

  it.each([
    [Directive.Resume, []],
    [Directive.Stop, ['a PostStop']],
    [Directive.Restart, ['a PreRestart', 'a setup', 'a PostRestart']],
  ])('may return a bare directive: %s', async (directive, events) => {
    const { log, directives, tell } = await family(deciding(() => directive));

    await tell('a', boom);

    expect([directives, log]).toEqual([[`a ${directive}`], events]);
  });

  it('delays a restart', async () => {
    const test = await family(deciding(() => ({ directive: Directive.Restart, delayMs: 100 })));

    await test.tell('a', boom);
    await advance(test, 99);
    expect(test.log).toEqual(['a PreRestart']);
    await advance(test, 1);

    expect(test.log).toEqual(['a PreRestart', 'a setup', 'a PostRestart']);
  });

  it.each([Directive.Restart, Directive.Stop])('includes the siblings in a %s', async (directive) => {
    const { log, tell } = await family(deciding(() => ({ directive, includesSiblings: true })));

    await tell('a', boom);

    const last = directive === Directive.Stop ? 'PostStop' : 'PostRestart';
    expect(log.filter((line) => line.endsWith(last))).toEqual([`a ${last}`, `b ${last}`]);
  });

  it('escalates to the parent', async () => {
    const escalating = deciding(() => Directive.Escalate);
    const supervision = deciding(({ error, actor }) => {
      expect([error, actor.path]).toEqual([BOOM, '/user/parent']);
      return Directive.Resume;
    });
    const { directives, tell } = await family(escalating, { supervision, childSupervision: escalating });

    await tell('a', boom);

    expect(directives).toEqual(['a escalate', 'parent resume']);
  });

  it('logs its reason', async () => {
    const { logger, tell } = await family(deciding(() => ({ directive: Directive.Stop, reason: 'third strike' })));

    await tell('a', boom);

    expect(logger.lines.filter((line) => line.includes('(stop: third strike): Error: boom'))).toHaveLength(1);
  });

  it.each<[string, () => Directive]>([
    [
      'throws',
      () => {
        throw new Error('undecided');
      },
    ],
    ['returns an unknown directive', () => 'reboot' as Directive],
    ['returns nothing', () => undefined as never],
    ['returns null', () => null as never],
    ['returns a promise', () => Promise.resolve(Directive.Restart) as never],
    ['returns NaN as the delay', () => ({ directive: Directive.Restart, delayMs: NaN }) as never],
    ['returns a negative delay', () => ({ directive: Directive.Restart, delayMs: -1 }) as never],
  ])('stops the actor when it %s', async (_what, decide) => {
    const { log, logger, directives, tell } = await family(deciding(decide));

    await tell('a', boom);

    expect([directives, log]).toEqual([['a stop'], ['a PostStop']]);
    expect(
      logger.lines.filter((line) => line.includes('its supervision strategy failed, so the actor is stopped')),
    ).toHaveLength(1);
  });

  it('restarts a child whose failed restart was escalated to a parent that resumed', async () => {
    const { system } = testSystem();
    const seen: string[] = [];
    const strategy = deciding(({ canResume, canEscalate }) => {
      seen.push(`${canResume ? 'can' : 'cannot'} resume, ${canEscalate ? 'can' : 'cannot'} escalate`);
      return seen.length === 1 ? Directive.Restart : Directive.Escalate;
    });
    let setups = 0;
    const child = Behavior.setup<Step>(() => {
      if (++setups === 2) throw BOOM;
      return Behavior.receive<Step>((ctx, step) => step(ctx));
    });
    const resuming = deciding(() => Directive.Resume);
    const parent = Behavior.setup<never>((ctx) => {
      ctx.spawn(child, 'child');
      return Behavior.receive<never>(() => undefined);
    });
    system.spawn(Props.of(parent, { supervision: resuming, childSupervision: strategy }), 'parent');
    await settle();

    system.lookup('/user/parent/child')!.tell(boom);
    await settle();

    expect(seen).toEqual(['can resume, can escalate', 'cannot resume, can escalate', 'cannot resume, cannot escalate']);
    expect([setups, system.describe().children[0]!.children[0]!.state]).toEqual([3, 'running']);
  });

  it('restarts an actor that cannot be resumed', async () => {
    const { system } = testSystem();
    let setups = 0;
    const behavior = Behavior.setup<Step>(() => {
      if (++setups === 2) throw BOOM;
      return Behavior.receive<Step>((ctx, step) => step(ctx));
    });
    const strategy = deciding(({ restarts }) => (restarts.count === 0 ? Directive.Restart : Directive.Resume));
    const ref = system.spawn(Props.of(behavior, { supervision: strategy }), 'a');

    ref.tell(boom);
    await settle();

    expect([setups, system.describe().children[0]!.restarts]).toEqual([3, 2]);
  });
});
