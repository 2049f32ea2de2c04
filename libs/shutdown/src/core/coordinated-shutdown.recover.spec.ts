import { ShutdownFailedError } from './errors/shutdown-failed.error.js';
import { Phase } from './phase.js';
import { FakeHost, never, phaseOf, setup, settle, taskStatuses, failingOnUnhandled } from './shutdown.fixture.js';

const noRecover = { phases: { [Phase.ServiceStop]: { recover: false, timeoutMs: 100 } } };

describe('CoordinatedShutdown, recover', () => {
  it('records a failure, waits for the other tasks and continues, by default', async () => {
    const { logger, shutdown, trace, work, finish } = setup();
    shutdown.addTask(Phase.ServiceStop, 'sync', () => {
      throw Object.assign(new Error('no db'), { code: 'ECONNREFUSED' });
    });
    shutdown.addTask(Phase.ServiceStop, 'async', work('async', 10, new Error('no mq')));
    shutdown.addTask(Phase.ServiceStop, 'sibling', work('sibling', 30));
    shutdown.addTask(Phase.ClusterLeave, 'next', work('next', 1));
    const report = await finish();

    expect(trace).toEqual(['async@0', 'sibling@0', 'next@30']);
    expect(report).toMatchObject({ status: 'failed', exitCode: 1 });
    expect(phaseOf(report, Phase.ServiceStop)).toEqual({
      name: 'service-stop',
      status: 'failed',
      durationMs: 30,
      tasks: [
        { name: 'sync', status: 'failed', durationMs: 0, error: { code: 'ECONNREFUSED', message: 'no db' } },
        { name: 'async', status: 'failed', durationMs: 10, error: { message: 'no mq' } },
        { name: 'sibling', status: 'completed', durationMs: 30 },
      ],
    });
    expect(logger.lines).toContain(
      'error: phase service-stop failed in 30 ms, 3 tasks:\n  sync failed: no db\n  async failed: no mq',
    );
  });

  it.each([
    ['fails', () => Promise.reject(new Error('x')), 30],
    ['times out', never, 100],
  ])('runs no later phase when a task %s and recover is false, but waits for the other tasks', async (_, task, ms) => {
    const { logger, shutdown, trace, work, finish } = setup(noRecover);
    shutdown.addTask(Phase.ServiceUnbind, 'earlier', work('earlier', 0));
    shutdown.addTask(Phase.ServiceStop, 'bad', task);
    shutdown.addTask(Phase.ServiceStop, 'sibling', work('sibling', 30));
    shutdown.addTask(Phase.ClusterLeave, 'later', work('later', 1));
    const report = await finish();

    expect(trace).toEqual(['earlier@0', 'sibling@0']);
    expect(report).toMatchObject({ status: 'aborted', exitCode: 1, durationMs: ms });
    expect(report.phases.slice(4).every((phase) => phase.status === 'skipped')).toBe(true);
    expect(taskStatuses(report)).toContain('later:cancelled');
    expect(logger.lines).toContain(
      'error: phase service-stop did not complete and has recover: false; skipping all phases that have not started',
    );
  });

  it('continues when recover is false and no task fails', async () => {
    const { shutdown, trace, step, finish } = setup(noRecover);
    shutdown.addTask(Phase.ServiceStop, 'fine', step('fine'));
    shutdown.addTask(Phase.ClusterLeave, 'later', step('later'));

    expect((await finish()).status).toBe('completed');
    expect(trace).toEqual(['fine@0', 'later@0']);
  });

  it('lets running branches finish in graph mode and starts no others', async () => {
    const { shutdown, trace, work, finish } = setup({
      concurrency: 'graph',
      phases: { bad: { recover: false }, long: {}, next: { dependsOn: ['long'] }, after: { dependsOn: ['bad'] } },
    });
    shutdown.addTask('bad', 'bad', work('bad', 10, new Error('x')));
    for (const name of ['long', 'next', 'after']) shutdown.addTask(name, name, work(name, 50));
    const report = await finish();

    expect(trace).toEqual(['bad@0', 'long@0']);
    expect(taskStatuses(report)).toEqual(['bad:failed', 'long:completed', 'next:cancelled', 'after:cancelled']);
    expect(report).toMatchObject({ status: 'aborted', durationMs: 50 });
  });

  it('closes the host after an abort', async () => {
    const { shutdown, finish } = setup(noRecover);
    const host = new FakeHost();
    shutdown.attachHost(host);
    shutdown.addTask(Phase.ServiceStop, 'bad', () => Promise.reject(new Error('x')));

    expect((await finish()).status).toBe('aborted');
    expect(host.closedWith).toEqual(['unknown']);
  });
});

describe('CoordinatedShutdown, throwOnFailure', () => {
  const failing = () => {
    const fixture = setup({ throwOnFailure: true });
    fixture.shutdown.addTask(Phase.ServiceStop, 'bad', () => Promise.reject(new Error('x')));
    return fixture;
  };

  it('rejects run() with the report when a task failed, and still resolves terminated', async () => {
    const { clock, shutdown } = failing();
    const running = shutdown.run();
    const outcome = running.catch((error: unknown) => error);
    await settle(clock);
    const error = (await outcome) as ShutdownFailedError;

    expect(error).toBeInstanceOf(ShutdownFailedError);
    expect(error).toMatchObject({ code: 'SHUTDOWN_FAILED', report: { status: 'failed' } });
    expect(error.message).toContain(
      'The shutdown (unknown) ended with status "failed". See `report` for its phases and tasks.',
    );
    expect(error.report.phases).toEqual((await shutdown.terminated).phases);
    await expect(shutdown.run()).rejects.toBe(error);
  });

  it('resolves run() when everything completed', async () => {
    const { clock, shutdown } = setup({ throwOnFailure: true });
    const running = shutdown.run();
    await settle(clock);

    await expect(running).resolves.toMatchObject({ status: 'completed' });
  });

  it('causes no unhandled rejection when run() has no handler', async () => {
    await failingOnUnhandled(async () => {
      const { clock, proc, shutdown } = failing();
      shutdown.installProcessHooks();
      proc.emit('SIGTERM');
      await settle(clock);
      expect(shutdown.state).toBe('stopped');
    });
  });
});
