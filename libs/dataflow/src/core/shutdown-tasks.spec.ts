import { CoordinatedShutdown, type CoordinatedShutdownOptions, Phase } from '@roost/shutdown/core';
import { ManualClock } from '@roost/time/testing';
import { Dataflow, DataflowNode, type DataflowReport, PhysicalAction, type ProcessExit, Reaction } from './index.js';
import type { ProcessGroup } from './launcher/process-group.js';
import { never, RecordingLogger } from './run/graph.fixture.js';
import { type DataflowTaskOptions, registerDataflowTasks, registerLaunchTasks } from './shutdown-tasks.js';

@DataflowNode()
class Door {
  @PhysicalAction() bell!: PhysicalAction;

  @Reaction('bell')
  hang(): Promise<void> {
    return never();
  }
}

const setup = (options: Partial<DataflowTaskOptions> = {}, shutdownOptions: CoordinatedShutdownOptions = {}) => {
  const clock = new ManualClock();
  const logger = new RecordingLogger();
  const exit = { process: false } as const;
  const shutdown = new CoordinatedShutdown({ clock, logger, exit, signals: [], ...shutdownOptions });
  const dataflow = new Dataflow({ graph: (g) => void g.node(Door), clock, logger, forceTimeoutMs: 1_000 });
  const tasks = registerDataflowTasks(shutdown, dataflow, {
    declaredBy: 'a spec',
    stopTimeoutMs: undefined,
    isPlaced: false,
    ...options,
  });
  return { clock, shutdown, dataflow, tasks };
};

const timeoutOf = (shutdown: CoordinatedShutdown, phase: string = Phase.ServiceStop): number =>
  shutdown.describe().find(({ name }) => name === phase)!.timeoutMs;

describe('registerDataflowTasks', () => {
  it('stops a graph without Nest', async () => {
    const { shutdown, dataflow, tasks } = setup();
    void dataflow.run();
    expect(tasks.hasBegun).toBe(false);
    expect(await shutdown.run()).toMatchObject({ status: 'completed' });
    expect([dataflow.state, dataflow.report?.status, tasks.hasBegun]).toEqual(['stopped', 'stopped', true]);
  });

  it('makes the phase long enough for the configured wait, the stop by force and its margin', () => {
    expect(timeoutOf(setup({ stopTimeoutMs: 15_000 }).shutdown)).toBe(16_100);
    expect(timeoutOf(setup({ stopTimeoutMs: 15_000, isPlaced: true }).shutdown)).toBe(18_100);
  });

  it('uses the time left by other phases when no wait is configured', async () => {
    const { shutdown } = setup({}, { timeoutMs: 10_000 });
    expect(timeoutOf(shutdown)).toBe(5_000);
    const run = shutdown.run();
    expect(timeoutOf(shutdown)).toBe(9_000);
    await run;
  });

  it('warns when the application has set a shorter phase', () => {
    const phases = { [Phase.ServiceStop]: { timeoutMs: 4_000 } };
    expect(setup({ stopTimeoutMs: 5_000 }, { phases }).shutdown.budgetWarnings()).toEqual([
      'phase service-stop ends after 4 s, but a spec may need 6 s. The graph is stopped by force earlier. Raise the timeout ' +
        'of the phase, or lower stopTimeoutMs.',
    ]);
    expect(setup({ stopTimeoutMs: 3_000 }, { phases }).shutdown.budgetWarnings()).toEqual([]);
    expect(setup({}, { phases }).shutdown.budgetWarnings()).toEqual([]);
  });

  it('stops the graph by force after the wait, and fails', async () => {
    const { clock, shutdown, dataflow } = setup({ stopTimeoutMs: 3_000 });
    void dataflow.run();
    dataflow.node<Door>('door')!.bell.schedule();
    await clock.advanceAsync(0);
    const run = shutdown.run();
    await clock.advanceAsync(3_000);
    expect(await run).toMatchObject({ status: 'failed' });
    expect(dataflow.report).toMatchObject({ status: 'forced' });
  });
});

describe('registerLaunchTasks', () => {
  const launch = (killAfterMs: number | undefined, exits: ProcessExit[] = [], stopTag?: DataflowReport['stopTag']) => {
    const { shutdown } = setup();
    const waits: number[] = [];
    const group = {
      left: [],
      end: (ms: number) => {
        waits.push(ms);
        return Promise.resolve(exits);
      },
    } as unknown as ProcessGroup;
    registerLaunchTasks(shutdown, { report: { stopTag } } as Dataflow, group, killAfterMs);
    return { shutdown, waits };
  };
  const taskOf = async (shutdown: CoordinatedShutdown) =>
    (await shutdown.run()).phases.flatMap(({ tasks }) => tasks).find(({ name }) => name === 'end-processes');

  it('makes room for the configured wait, or uses the time that is left', async () => {
    const phase = Phase.BeforeActorSystemTerminate;
    const chosen = launch(20_000);
    expect(timeoutOf(chosen.shutdown, phase)).toBe(21_100);
    const open = launch(undefined);
    expect(timeoutOf(open.shutdown, phase)).toBe(5_000);
    const run = open.shutdown.run();
    expect(timeoutOf(open.shutdown, phase)).toBe(11_100);
    await run;
    expect(open.waits).toEqual([10_000]);
  });

  it('fails when a process of the run did not exit cleanly', async () => {
    const bad = { process: 'left', code: 3, signal: null };
    const stopTag = { time: 0, microstep: 1 };
    expect(await taskOf(launch(1_000, [bad], stopTag).shutdown)).toMatchObject({
      status: 'failed',
      error: { code: 'DATAFLOW_PROCESSES_FAILED' },
    });
    expect(await taskOf(launch(1_000, [bad]).shutdown)).toMatchObject({ status: 'completed' });
    expect(await taskOf(launch(1_000, [{ ...bad, code: 0 }], stopTag).shutdown)).toMatchObject({ status: 'completed' });
  });
});
