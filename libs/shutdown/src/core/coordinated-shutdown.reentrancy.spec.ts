import { AwaitedInTaskError } from './errors/awaited-in-task.error.js';
import { Phase } from './phase.js';
import type { ShutdownReport } from './report.js';
import {
  delay,
  FakeHost,
  type Fixture,
  never,
  setup,
  settle,
  taskOf,
  taskStatuses,
  failingOnUnhandled,
} from './shutdown.fixture.js';

type Way = [string, (shutdown: Fixture['shutdown'], clock: Fixture['clock']) => unknown];

const WAYS: Way[] = [
  ['awaits run()', async (shutdown) => void (await shutdown.run())],
  ['awaits terminated', async (shutdown) => void (await shutdown.terminated)],
  ['returns run()', (shutdown) => shutdown.run()],
  ['returns run() from an async function', async (shutdown) => shutdown.run()],
  ['returns terminated', (shutdown) => shutdown.terminated],
  ['awaits Promise.all([run()])', async (shutdown) => void (await Promise.all([shutdown.run()]))],
  ['returns Promise.all([terminated])', (shutdown) => Promise.all([shutdown.terminated])],
  [
    'awaits Promise.allSettled',
    async (shutdown) => void (await Promise.allSettled([shutdown.run(), shutdown.terminated])),
  ],
  ['chains then', (shutdown) => shutdown.run().then(() => undefined)],
  ['chains finally', (shutdown) => shutdown.terminated.finally(() => undefined)],
  [
    'awaits run() after another await',
    async (shutdown, clock) => {
      await delay(clock, 10);
      await shutdown.run();
    },
  ],
  [
    'awaits run() in a called function',
    async (shutdown) => {
      const inner = async () => {
        await Promise.resolve();
        await shutdown.terminated;
      };
      await Promise.all([inner(), Promise.resolve()]);
    },
  ],
];

describe('CoordinatedShutdown, a task that calls its own shutdown', () => {
  it('gets the same promise when it calls run() synchronously', async () => {
    const { clock, shutdown } = setup();
    let inner: unknown;
    shutdown.addTask(Phase.ServiceStop, 'again', () => {
      inner = shutdown.run();
    });
    const outer = shutdown.run();
    await settle(clock);

    expect(inner).toBe(outer);
    expect(taskStatuses(await outer)).toEqual(['again:completed']);
  });

  it.each(WAYS)('fails instead of deadlocking when it %s', async (_, way) => {
    await failingOnUnhandled(async () => {
      const { clock, shutdown, trace, work, finish } = setup();
      shutdown.addTask(Phase.ServiceStop, 'waits', () => way(shutdown, clock));
      shutdown.addTask(Phase.ServiceStop, 'sibling', work('sibling', 20));
      shutdown.addTask(Phase.ClusterLeave, 'next', work('next', 5));
      const report = await finish();
      await settle(clock);

      expect(report).toMatchObject({ status: 'failed', durationMs: 25 });
      expect(taskOf(report, 'waits')).toMatchObject({ status: 'failed', error: { code: 'SHUTDOWN_AWAITED_IN_TASK' } });
      expect(taskOf(report, 'sibling').status).toBe('completed');
      expect(trace).toEqual(['sibling@0', 'next@20']);
      expect(clock.pendingTimers).toBe(0);
    });
  });

  it('fails with an error that names the task and the fix', () => {
    const error = new AwaitedInTaskError('waits', 'service-stop');

    expect(error).toMatchObject({ task: 'waits', phase: 'service-stop', code: 'SHUTDOWN_AWAITED_IN_TASK' });
    expect(error.message).toMatch(/"waits" in phase "service-stop" awaits run\(\).*Call run\(\) without awaiting it/);
  });

  it('fails once, however often it awaits, and continues after the shutdown', async () => {
    const { clock, logger, shutdown, events, finish } = setup();
    let got: ShutdownReport | undefined;
    shutdown.addTask(Phase.ServiceStop, 'waits', async () => {
      [got] = await Promise.all([shutdown.run(), shutdown.terminated, shutdown.run()]);
    });
    await finish();
    await settle(clock);

    expect(events.filter((event) => event.type === 'task.failed')).toHaveLength(1);
    expect(got!.status).toBe('failed');
    expect(logger.matching(/too late/)).toEqual([
      'warn: task service-stop/waits completed after 0 ms, too late: reported as failed',
    ]);
  });

  it('lets a listener await, even if a task subscribed it or the event is about that task', async () => {
    const { shutdown, finish } = setup();
    const ends: string[] = [];
    const wait = async (name: string) => {
      await shutdown.terminated;
      ends.push(name);
    };
    shutdown.events$.subscribe((event) => {
      if (event.type === 'task.started' || event.type === 'task.finished') void wait(event.type);
    });
    shutdown.addTask(Phase.ServiceUnbind, 'subscribes', () => {
      shutdown.events$.subscribe((event) => {
        if (event.type === 'phase.finished' && event.phase === 'service-unbind') void wait('inner');
      });
    });
    const report = await finish();
    await Promise.resolve();

    expect(report.status).toBe('completed');
    expect(ends).toEqual(['task.started', 'task.finished', 'inner']);
  });

  it('lets background work of a task await once the task has settled', async () => {
    const { clock, shutdown, work, finish } = setup();
    let got: ShutdownReport | undefined;
    shutdown.addTask(Phase.ServiceUnbind, 'leaves', () => {
      void delay(clock, 10)
        .then(() => shutdown.terminated)
        .then((report) => (got = report));
    });
    shutdown.addTask(Phase.ServiceStop, 'other', work('other', 30));
    const report = await finish();
    await settle(clock);

    expect([report.status, got?.status]).toEqual(['completed', 'completed']);
  });

  it('may await another shutdown, even one that it started', async () => {
    const outer = setup();
    const { clock } = outer;
    const inner = setup({ clock });
    inner.shutdown.addTask(Phase.ServiceStop, 'inner', inner.work('inner', 20));
    const seen: string[] = [];
    outer.shutdown.addTask(Phase.ServiceStop, 'outer', async () => {
      seen.push((await inner.shutdown.run()).status);
      seen.push((await inner.shutdown.terminated).status);
    });
    inner.shutdown.addTask(Phase.ServiceStop, 'looks', () => {
      void outer.shutdown.terminated.then((report) => seen.push(`outer ${report.status}`));
    });
    const report = await outer.finish();
    await settle(clock);

    expect(report.status).toBe('completed');
    expect(seen).toEqual(['completed', 'completed', 'outer completed']);
  });

  it('may await another shutdown that is waiting for a task of the same name and phase', async () => {
    const a = setup();
    const b = setup({ clock: a.clock });
    b.shutdown.addTask(Phase.ServiceStop, 'same', () => delay(a.clock, 30));
    a.shutdown.addTask(Phase.ServiceStop, 'same', () => b.shutdown.run());
    const report = await a.finish();

    expect(report).toMatchObject({ status: 'completed', durationMs: 30 });
  });

  it('times out when two shutdowns wait for each other', async () => {
    const a = setup();
    const b = setup({ clock: a.clock });
    a.shutdown.addTask(Phase.ServiceStop, 'a', () => b.shutdown.run(), { timeoutMs: 40 });
    b.shutdown.addTask(Phase.ServiceStop, 'b', () => a.shutdown.run());
    const report = await a.finish();
    await settle(a.clock);

    expect(taskStatuses(report)).toEqual(['a:timed-out']);
    expect(taskStatuses(await b.shutdown.terminated)).toEqual(['b:completed']);
  });

  it('may receive a signal and install process hooks while it runs', async () => {
    const { proc, shutdown, finish } = setup();
    shutdown.installProcessHooks();
    shutdown.addTask(Phase.ServiceUnbind, 'signalled', () => {
      proc.emit('SIGTERM');
      return Promise.resolve();
    });
    shutdown.addTask(Phase.ServiceStop, 'installs', () => {
      shutdown.installProcessHooks();
      return Promise.resolve();
    });
    const report = await finish();

    expect(taskStatuses(report)).toEqual(['signalled:completed', 'installs:completed']);
    expect(report.otherReasons).toContain('process-terminate (SIGTERM)');
  });

  it('lets code outside tasks await before, during and after the shutdown', async () => {
    const { clock, shutdown, work } = setup();
    shutdown.addTask(Phase.ServiceStop, 'a', work('a', 10));
    const seen: string[] = [];
    void shutdown.terminated.then(() => seen.push('before'));
    void shutdown.run().then(() => seen.push('run'));
    await clock.advanceAsync(5);
    void shutdown.terminated.then(() => seen.push('during'));
    await clock.advanceAsync(5);
    await shutdown.terminated;

    expect(seen.sort()).toEqual(['before', 'during', 'run']);
    expect((await shutdown.run()).status).toBe('completed');
  });

  it('resolves run() while the host is still closing, and terminated afterwards', async () => {
    const { clock, shutdown } = setup();
    shutdown.attachHost(new FakeHost(() => delay(clock, 50)));
    const seen: string[] = [];
    void shutdown.run().then(() => seen.push(`run@${clock.monotonic()}`));
    void shutdown.terminated.then(() => seen.push(`terminated@${clock.monotonic()}`));
    await clock.advanceAsync(100);

    expect(seen).toEqual(['run@0', 'terminated@50']);
  });

  it('is not confused with another task that runs at the same time', async () => {
    const { clock, shutdown, finish } = setup();
    shutdown.addTask(Phase.ServiceStop, 'innocent', () => delay(clock, 10));
    shutdown.addTask(Phase.ServiceStop, 'guilty', () => shutdown.run());
    shutdown.addTask(Phase.ServiceStop, 'hangs', never, { timeoutMs: 20 });
    const report = await finish();

    expect(taskStatuses(report)).toEqual(['innocent:completed', 'guilty:failed', 'hangs:timed-out']);
  });
});
