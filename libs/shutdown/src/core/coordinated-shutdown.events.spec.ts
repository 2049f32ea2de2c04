import { config } from 'rxjs';
import type { ShutdownEvent } from './events.js';
import { Phase } from './phase.js';
import { ApplicationCloseReason } from './reasons.js';
import { delay, never, setup, settle } from './shutdown.fixture.js';

const CANONICAL = Object.values(Phase);

const brief = (event: ShutdownEvent): string =>
  [event.type, 'phase' in event && event.phase, 'task' in event && event.task].filter(Boolean).join(' ');

describe('CoordinatedShutdown, events$', () => {
  it('emits everything in order and completes', async () => {
    const { clock, shutdown, events, work } = setup({
      phases: {
        [Phase.ServiceRequestsDone]: { enabled: false },
        [Phase.ServiceStop]: { timeoutMs: 30, recover: false },
      },
    });
    let completed = false;
    shutdown.events$.subscribe({ complete: () => (completed = true) });
    shutdown.addTask(Phase.ServiceUnbind, 'slow', work('slow', 20));
    shutdown.addTask(Phase.ServiceUnbind, 'bad', work('bad', 10, new Error('x')));
    shutdown.addTask(Phase.ServiceStop, 'hangs', never);
    const reason = new ApplicationCloseReason();
    void shutdown.run(reason, { fromPhase: Phase.ServiceUnbind });
    await clock.advanceAsync(50);

    expect(events.map(brief)).toEqual([
      'shutdown.started',
      'phase.skipped before-service-unbind',
      'phase.started service-unbind',
      'task.started service-unbind slow',
      'task.started service-unbind bad',
      'task.failed service-unbind bad',
      'task.finished service-unbind slow',
      'phase.failed service-unbind',
      'phase.disabled service-requests-done',
      'phase.started service-stop',
      'task.started service-stop hangs',
      'task.timed-out service-stop hangs',
      'phase.timed-out service-stop',
      ...CANONICAL.slice(4).map((name) => `phase.skipped ${name}`),
      'shutdown.finished',
      'shutdown.terminated',
    ]);
    expect(events[0]).toEqual({ type: 'shutdown.started', reason });
    expect(events[2]).toEqual({ type: 'phase.started', phase: 'service-unbind', tasks: 2 });
    expect(completed).toBe(true);
  });

  it('carries the reports', async () => {
    const { shutdown, events, work, finish } = setup();
    shutdown.addTask(Phase.ServiceStop, 'a', work('a', 5));
    const report = await finish();

    expect(events).toContainEqual({
      type: 'task.finished',
      phase: 'service-stop',
      task: 'a',
      report: { name: 'a', status: 'completed', durationMs: 5 },
    });
    expect(
      events.filter((event) => event.type.startsWith('phase.f')).map((event) => 'report' in event && event.report),
    ).toEqual(report.phases);
    expect(events.slice(-2)).toEqual([
      { type: 'shutdown.finished', report },
      { type: 'shutdown.terminated', report },
    ]);
  });

  it('emits shutdown.terminated when the state is stopped', async () => {
    const { shutdown, finish } = setup();
    const states: string[] = [];
    shutdown.events$.subscribe((event) => void states.push(`${event.type} ${shutdown.state}`));
    await finish();

    expect([states.at(0), states.at(-2), states.at(-1)]).toEqual([
      'shutdown.started stopping',
      'shutdown.finished stopping',
      'shutdown.terminated stopped',
    ]);
  });

  it('emits shutdown.forced before it abandons the tasks', async () => {
    const { shutdown, events, finish } = setup({ timeoutMs: 10 });
    shutdown.addTask(Phase.ServiceStop, 'a', never);
    await finish();
    const types = events.map((event) => event.type);

    expect(types.indexOf('shutdown.forced')).toBe(types.indexOf('task.timed-out') - 1);
    expect(types.filter((type) => type === 'shutdown.forced')).toHaveLength(1);
  });

  it('replays nothing to late subscribers, and completes for them', async () => {
    const { shutdown, finish } = setup();
    await finish();
    const seen: unknown[] = [];
    shutdown.events$.subscribe({ next: (event) => seen.push(event), complete: () => seen.push('complete') });

    expect(seen).toEqual(['complete']);
  });

  it('continues when a subscriber throws, and notifies the others', async () => {
    const thrown: unknown[] = [];
    config.onUnhandledError = (error) => void thrown.push(error);
    try {
      const { clock, shutdown, events, trace, step } = setup();
      shutdown.events$.subscribe(() => {
        throw new Error('bad subscriber');
      });
      const later: unknown[] = [];
      shutdown.events$.subscribe((event) => later.push(event));
      shutdown.addTask(Phase.ServiceStop, 'a', step('a'));
      const running = shutdown.run();
      await settle(clock);

      expect((await running).status).toBe('completed');
      expect([trace, later]).toEqual([['a@0'], events]);
      // rxjs reports the error from a timer.
      await new Promise((resolve) => setTimeout(resolve, 0));
      expect(thrown).toHaveLength(events.length);
    } finally {
      config.onUnhandledError = null;
    }
  });
});

describe('CoordinatedShutdown, log', () => {
  it('has one line for the start, one per phase with tasks, and the table at the end', async () => {
    const { logger, shutdown, work, finish } = setup();
    shutdown.addTask(Phase.ServiceUnbind, 'a', work('a', 20));
    shutdown.addTask(Phase.ServiceStop, 'b', work('b', 0));
    shutdown.addTask(Phase.ServiceStop, 'c', work('c', 5));
    await finish();

    expect(logger.lines).toEqual([
      'log: shutdown started: unknown, at most 30 s',
      'log: phase service-unbind completed in 20 ms, 1 task',
      'log: phase service-stop completed in 5 ms, 2 tasks',
      'log: shutdown completed in 25 ms: unknown, exit code 0\n' +
        '  service-unbind  completed  20 ms  1 task\n' +
        '  service-stop    completed   5 ms  2 tasks',
    ]);
  });

  it('shows once a second the tasks it waits for and the remaining time', async () => {
    const { clock, logger, shutdown, work } = setup({ timeoutMs: 10_000, defaultPhaseTimeoutMs: 3_500 });
    shutdown.addTask(Phase.ServiceUnbind, 'short', work('short', 900));
    shutdown.addTask(Phase.ServiceStop, 'counts', (_, context) => {
      let left = 3;
      context.progress(() => `${left--} left`);
      return never();
    });
    shutdown.addTask(Phase.ServiceStop, 'rude', (_, context) => {
      context.progress(() => {
        throw new Error('oops');
      });
      return delay(clock, 1_500);
    });
    void shutdown.run();
    await clock.advanceAsync(999);
    expect(logger.matching(/waiting/)).toEqual([]);
    await clock.advanceAsync(9_000);

    expect(logger.matching(/waiting/)).toEqual([
      'log: waiting for service-stop/counts (100 ms: 3 left), service-stop/rude (100 ms: progress() threw: oops); 9 s left',
      'log: waiting for service-stop/counts (1.1 s: 2 left), service-stop/rude (1.1 s: progress() threw: oops); 8 s left',
      'log: waiting for service-stop/counts (2.1 s: 1 left); 7 s left',
      'log: waiting for service-stop/counts (3.1 s: 0 left); 6 s left',
    ]);
  });

  it('names at most five tasks in a progress line', async () => {
    const { clock, logger, shutdown } = setup();
    for (let i = 0; i < 8; i++) shutdown.addTask(Phase.ServiceStop, `t${i}`, never);
    void shutdown.run();
    await clock.advanceAsync(1_000);

    expect(logger.matching(/waiting/)[0]).toMatch(/t0 \(1 s\), .*t4 \(1 s\) and 3 more; 29 s left$/);
    expect(logger.matching(/waiting/)[0]).not.toContain('t5');
  });

  it('does not stop the shutdown when the logger throws', async () => {
    const broken = () => {
      throw new Error('disk full');
    };
    const { shutdown, trace, work, finish } = setup({
      timeoutMs: 3_000,
      logger: { log: broken, warn: broken, error: broken },
    });
    shutdown.addTask(Phase.ServiceUnbind, 'bad', work('bad', 1_500, new Error('x')));
    shutdown.addTask(Phase.ServiceStop, 'late', work('late', 100), { timeoutMs: 10 });
    shutdown.addTask(Phase.ClusterLeave, 'hangs', never);
    const report = await finish();

    expect(trace).toEqual(['bad@0', 'late@1500']);
    expect(report).toMatchObject({ status: 'forced', durationMs: 3_000 });
  });
});
