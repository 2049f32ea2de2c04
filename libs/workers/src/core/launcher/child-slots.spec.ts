import { restartBackoff, neverRestart } from '../restart-policy.js';
import { outcomeOf } from '../workers.fixture.js';
import { testSlots, TWO_AND_ONE } from './child-slots.fixture.js';

describe('ChildSlots', () => {
  it('starts every child of every kind, numbered by name', () => {
    const { slots, children } = testSlots(TWO_AND_ONE);

    slots.start();

    expect(children.all.map(({ name }) => name)).toEqual(['web#1', 'web#2', 'jobs#1']);
    expect(slots.alive.size).toBe(3);
  });

  it('reports once that it is up, when every slot has been up or has finished its work', async () => {
    const { slots, children, happened, clock, settle } = testSlots([
      { count: 2 },
      { name: 'migrate', restart: neverRestart() },
    ]);
    slots.start();
    const [a, b, c] = children.all;
    a!.ready();
    a!.exit(1);
    c!.exit(0);
    await settle();
    expect(happened).toEqual([]);

    b!.ready();
    await settle();
    expect(happened).toEqual(['up']);
    await clock.advanceAsync(100);
    children.last.ready();
    await settle();
    expect(happened).toEqual(['up']);
  });

  it('warns about a child without coordinated shutdown, but not about one that does not answer', async () => {
    const { slots, children, logger, settle } = testSlots([{ count: 3 }]);
    slots.start();
    const [managed, bare, silent] = children.all;
    bare!.answer = { isManaged: false };
    silent!.answer = undefined;
    for (const child of [managed!, bare!, silent!]) child.ready();
    await settle();

    expect(logger.of('warn')).toEqual([
      'warn: web#2 (pid 2) has no coordinated shutdown, so a stop loses its in-flight work. Import ' +
        'CoordinatedShutdownModule in its root module.',
    ]);
  });

  it('does not warn about a child that was stopped before it could answer', async () => {
    const { slots, children, logger, settle } = testSlots();
    slots.start();
    children.last.answer = { isManaged: false };
    children.last.ready();
    await Promise.resolve();
    expect(logger.lines).toEqual(['log: web#1 (pid 1) is up after 0 ms']);

    void slots.stop();
    await settle();

    expect(logger.of('warn')).toEqual([]);
  });

  it('is not up when a child could not come up, or after the stop', async () => {
    const { slots, children, happened, settle } = testSlots([{ count: 2 }]);
    slots.start();
    children.all[0]!.ready();
    void slots.stop();

    children.all[1]!.ready();
    for (const child of children.all) child.exit(0);
    await settle();

    expect(happened).toEqual([]);
  });

  it('is done when all children have finished their work', async () => {
    const { children, happened, boot, settle } = testSlots([{ count: 2, restart: restartBackoff() }]);
    await boot();

    children.all[0]!.exit(0);
    await settle();
    expect(happened).toEqual(['up']);
    children.all[1]!.exit(0);
    await settle();

    expect(happened).toEqual(['up', 'done']);
  });

  it('is not done while a child waits for its restart', async () => {
    const { slots, children, happened, boot, settle } = testSlots([{ count: 2, restart: restartBackoff() }]);
    await boot();

    children.all[0]!.exit(1);
    children.all[1]!.exit(0);
    await settle();

    expect([slots.alive.size, happened]).toEqual([0, ['up']]);
  });

  it('reports a failed slot, and is not done then', async () => {
    const { children, happened, boot, settle } = testSlots([{ restart: neverRestart() }]);
    await boot();

    children.last.exit(9);
    await settle();

    expect(happened).toEqual(['up', 'failed: web#1 failed once, most recently with exit code 9']);
  });
});

describe('ChildSlots.roll', () => {
  it('replaces one child at a time', async () => {
    const { slots, children, boot, settle } = testSlots([{ count: 3 }]);
    await boot();
    const rolled = outcomeOf(slots.roll());

    for (const old of children.all.slice(0, 3)) {
      expect(slots.alive.size).toBe(4);
      children.last.ready();
      await settle();
      expect(children.all.filter(({ stops, hasEnded }) => stops.length > 0 && !hasEnded)).toEqual([old]);
      old.exit(0);
      await settle();
    }

    expect(rolled).toEqual({ status: 'resolved', value: undefined });
    expect(children.alive.map(({ name }) => name)).toEqual(['web#1', 'web#2', 'web#3']);
    expect(slots.alive.size).toBe(3);
  });

  it('aborts at the first successor that does not come up, and keeps the others', async () => {
    const { slots, children, boot, settle } = testSlots([{ count: 3 }]);
    await boot();
    const rolled = outcomeOf(slots.roll());

    children.last.exit(1, 'bad config');
    await settle();

    expect(rolled.value).toBe('web#1 (pid 4) ended with exit code 1 before it took over:\nbad config');
    expect(children.alive.map(({ pid }) => pid)).toEqual([1, 2, 3]);
  });
});

describe('ChildSlots.describe', () => {
  it('returns pid or thread, state, age, restarts and in-flight work', async () => {
    const { slots, children, clock, boot } = testSlots();
    await boot();
    children.last.exit(1, 'oops');
    await clock.advanceAsync(100);
    children.last.ready();
    children.last.answer = { isManaged: true, inFlight: 3 };
    await clock.advanceAsync(5_000);

    expect(await slots.describe()).toEqual([
      {
        ...{ name: 'web#1', kind: 'process', state: 'running', pid: 2, ageMs: 5_000, restarts: 1 },
        ...{ inFlight: 3, responsive: true, lastFailure: 'exit code 1:\noops' },
      },
    ]);
  });

  it('reports a child that does not answer', async () => {
    const { slots, children, boot } = testSlots();
    await boot();
    children.last.answer = undefined;

    expect(await slots.describe()).toEqual([
      { name: 'web#1', kind: 'process', state: 'running', pid: 1, ageMs: 0, restarts: 0, responsive: false },
    ]);
  });

  it('shows the state of an empty slot', async () => {
    const { slots, children, boot, settle } = testSlots([{}, { name: 'once', restart: neverRestart() }]);
    await boot();
    children.all[0]!.exit(0);
    children.all[1]!.exit(0);
    await settle();

    expect(await slots.describe()).toEqual([
      { name: 'web#1', kind: 'process', state: 'restarting', restarts: 1 },
      { name: 'once#1', kind: 'process', state: 'stopped', restarts: 0 },
    ]);
  });

  it('lists both children during a replacement, until the predecessor has exited', async () => {
    const { slots, children, boot, settle } = testSlots();
    await boot();
    void slots.roll();
    children.last.ready();
    await settle();

    const shown = (await slots.describe()).map(({ name, pid, state }) => `${name} ${pid} ${state}`);

    expect(shown).toEqual(['web#1 1 stopping', 'web#1 2 running']);
    expect(slots.alive.size).toBe(2);
  });

  it('lists up to ten living children in one line', async () => {
    const { slots, children, boot, settle } = testSlots([{ count: 12 }]);
    await boot();
    expect(slots.describeAlive()).toMatch(
      /^12 of 12 children still running: web#1 \(pid 1\), .*web#10 \(pid 10\), \.\.\.$/,
    );

    void slots.stop();
    for (const child of children.all.slice(1)) child.exit(0);
    await settle();

    expect(slots.describeAlive()).toBe('1 of 12 children still running: web#1 (pid 1)');
  });
});
