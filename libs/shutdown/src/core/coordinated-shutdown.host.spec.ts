import { Phase } from './phase.js';
import { ApplicationCloseReason } from './reasons.js';
import type { TaskReport } from './report.js';
import { delay, FakeHost, never, setup, settle, failingOnUnhandled } from './shutdown.fixture.js';

const hook = (status: TaskReport['status'], name = 'A.onModuleDestroy'): TaskReport => ({
  name,
  status,
  durationMs: 1,
  ...(status !== 'completed' && { error: { message: 'x' } }),
});

describe('CoordinatedShutdown, host', () => {
  it('is closed once, after the phases, with the reason', async () => {
    const { clock, shutdown, trace, work } = setup();
    const host = new FakeHost(async () => void trace.push(`close@${clock.monotonic()}`));
    host.ended = [hook('completed')];
    shutdown.attachHost(host);
    shutdown.addTask(Phase.ActorSystemTerminate, 'last', work('last', 10));
    const running = shutdown.run(new ApplicationCloseReason());
    await clock.advanceAsync(10);

    expect(trace).toEqual(['last@0', 'close@10']);
    expect(host.closedWith).toEqual(['application-close']);
    expect(await running).not.toHaveProperty('hooks');
    expect(await shutdown.terminated).toMatchObject({ status: 'completed', hooks: host.ended });
  });

  it('may be attached during the phases', async () => {
    const { shutdown, finish } = setup();
    const host = new FakeHost();
    shutdown.addTask(Phase.ServiceStop, 'attaches', () => shutdown.attachHost(host));
    await finish();

    expect(host.closedWith).toEqual(['unknown']);
  });

  it('is not closed if attached after the end', async () => {
    const { clock, shutdown, finish } = setup();
    await finish();
    const host = new FakeHost();
    shutdown.attachHost(host);
    await settle(clock);

    expect(host.closedWith).toEqual([]);
  });

  it.each(['failed', 'timed-out'] as const)('fails the shutdown when a hook has %s', async (status) => {
    const { clock, shutdown } = setup({ exit: { onFailure: 4 } });
    const host = new FakeHost();
    host.ended = [hook('completed', 'B'), hook(status)];
    shutdown.attachHost(host);
    const running = shutdown.run();
    await settle(clock);

    expect(await running).toMatchObject({ status: 'completed', exitCode: 0 });
    expect(await shutdown.terminated).toMatchObject({ status: 'failed', exitCode: 4, hooks: host.ended });
  });

  it('keeps the status aborted when a hook fails, too', async () => {
    const { shutdown, finish } = setup({ phases: { [Phase.ServiceStop]: { recover: false } } });
    const host = new FakeHost();
    host.ended = [hook('failed')];
    shutdown.attachHost(host);
    shutdown.addTask(Phase.ServiceStop, 'bad', () => Promise.reject(new Error('x')));

    expect((await finish()).status).toBe('aborted');
  });

  it.each([
    ['rejects', () => Promise.reject(new Error('no close'))],
    [
      'throws',
      () => {
        throw new Error('no close');
      },
    ],
  ])('fails the shutdown when its close %s', async (_, close) => {
    await failingOnUnhandled(async () => {
      const { logger, shutdown, finish } = setup();
      shutdown.attachHost(new FakeHost(close));
      const report = await finish();

      expect(logger.lines).toContain('error: closing the application failed: no close');
      expect(report).toMatchObject({ status: 'failed', exitCode: 1 });
      expect(report.hooks).toEqual([
        { name: 'close', status: 'failed', durationMs: 0, error: { message: 'no close' } },
      ]);
    });
  });

  it('does not list a failed close in addition to the hook that explains it', async () => {
    const { shutdown, finish } = setup();
    const host = new FakeHost(() => Promise.reject(new Error('x')));
    host.ended = [hook('failed')];
    shutdown.attachHost(host);

    expect((await finish()).hooks).toEqual(host.ended);
  });

  it('is cut off and named at the overall deadline', async () => {
    const { clock, logger, shutdown, events, work, finish } = setup({ timeoutMs: 2_500 });
    const host = new FakeHost(never);
    host.waitingFor = ['A.onModuleDestroy (2.4 s)'];
    host.ended = [hook('completed', 'B')];
    host.cutOff = [hook('timed-out')];
    shutdown.attachHost(host);
    shutdown.addTask(Phase.ServiceStop, 'a', work('a', 100));
    const report = await finish();

    expect(report).toMatchObject({ status: 'forced', exitCode: 1, durationMs: 2_500 });
    expect(report.hooks).toEqual([...host.ended, ...host.cutOff]);
    expect(events).toContainEqual({ type: 'shutdown.forced', stuck: host.waitingFor });
    expect(logger.matching(/waiting for A\.onModuleDestroy \(2\.4 s\)/)).toHaveLength(2);
    expect(logger.lines).toContain(
      'error: the shutdown passed its overall deadline of 2.5 s; still running:\n  A.onModuleDestroy (2.4 s)',
    );
    expect(await shutdown.run()).toMatchObject({ status: 'completed', durationMs: 100 });
    expect(clock.pendingTimers).toBe(0);
  });

  it('logs "nothing" as still running at the deadline if no step is pending', async () => {
    const { logger, shutdown, finish } = setup({ timeoutMs: 100 });
    shutdown.attachHost(new FakeHost(never));
    await finish();

    expect(logger.matching(/still running:\n {2}nothing$/)).toHaveLength(1);
  });

  it('is closed without waiting if the deadline passed during the phases', async () => {
    const { shutdown, finish } = setup({ timeoutMs: 50 });
    const host = new FakeHost(never);
    shutdown.attachHost(host);
    shutdown.addTask(Phase.ServiceStop, 'hangs', never);
    const report = await finish();

    expect(host.closedWith).toEqual(['unknown']);
    expect(report).toMatchObject({ status: 'forced', durationMs: 50 });
  });

  it('cannot stop the shutdown by throwing from pending() or hooks()', async () => {
    await failingOnUnhandled(async () => {
      const { clock, logger, shutdown, finish } = setup();
      const host = new FakeHost(() => delay(clock, 1_500));
      host.pending = () => {
        throw new Error('no pending');
      };
      host.hooks = () => {
        throw new Error('no hooks');
      };
      shutdown.attachHost(host);
      const report = await finish();

      expect(report).toMatchObject({ status: 'completed', durationMs: 1_500, hooks: [] });
      expect(logger.matching(/cannot read the closing status of the host: no (pending|hooks)/).length).toBeGreaterThan(
        1,
      );
    });
  });
});

describe('CoordinatedShutdown, a signal during boot', () => {
  const booting = () => {
    const fixture = setup({ bootTimeoutMs: 1_000 });
    const host = new FakeHost();
    let settleBoot!: (error?: Error) => void;
    host.booting = new Promise<void>((resolve, reject) => {
      settleBoot = (error) => {
        host.booting = undefined;
        if (error) reject(error);
        else resolve();
      };
    });
    fixture.shutdown.attachHost(host);
    fixture.shutdown.installProcessHooks();
    fixture.shutdown.addTask(Phase.ServiceStop, 'a', fixture.step('a'));
    return { ...fixture, host, settleBoot };
  };

  it.each([
    ['succeeded', undefined],
    ['failed', new Error('no db')],
  ])('waits until the boot has %s', async (_, error) => {
    const { clock, proc, shutdown, trace, settleBoot } = booting();
    proc.emit('SIGTERM');
    await clock.advanceAsync(400);
    expect([String(shutdown.reason), shutdown.state, trace]).toEqual(['process-terminate (SIGTERM)', 'running', []]);
    settleBoot(error);
    await settle(clock);

    expect([shutdown.state, trace]).toEqual(['stopped', ['a@400']]);
    expect((await shutdown.terminated).otherReasons).toEqual([]);
    expect(clock.pendingTimers).toBe(0);
  });

  it('waits for the boot up to bootTimeoutMs', async () => {
    const { clock, logger, proc, shutdown, trace, settleBoot } = booting();
    proc.emit('SIGTERM');
    await clock.advanceAsync(1_000);

    expect([shutdown.state, trace]).toEqual(['stopped', ['a@1000']]);
    expect(logger.matching(/^error: the boot did not finish within 1 s/)).toHaveLength(1);
    settleBoot();
    await settle(clock);
    expect((await shutdown.terminated).otherReasons).toEqual([]);
  });

  it('starts at once when code calls run(), and drops the boot limit', async () => {
    const { clock, logger, proc, shutdown, trace } = booting();
    proc.emit('SIGTERM');
    void shutdown.run(new ApplicationCloseReason());
    await settle(clock);

    expect(await shutdown.terminated).toMatchObject({
      reason: 'process-terminate (SIGTERM)',
      otherReasons: ['application-close'],
    });
    expect([trace, clock.pendingTimers]).toEqual([['a@0'], 0]);
    await clock.advanceAsync(2_000);
    expect(logger.matching(/did not finish/)).toEqual([]);
  });

  it('does not wait when the host has booted', async () => {
    const { clock, proc, shutdown, settleBoot } = booting();
    settleBoot();
    proc.emit('SIGTERM');
    await settle(clock);

    expect(shutdown.state).toBe('stopped');
  });
});
