import { Deadline } from '@roost/time';
import { ManualClock } from '@roost/time/testing';
import type { ShutdownEvent } from './events.js';
import { type CoordinatedShutdownOptions, resolveShutdownOptions } from './options.js';
import { PhaseGraph } from './phase-graph.js';
import { PhaseSequence } from './phase-sequence.js';
import { UnknownReason } from './reasons.js';
import { delay, never, settle } from './shutdown.fixture.js';
import { RecordingLogger } from '@roost/kernel/testing';
import { TaskRegistry } from './task-registry.js';

const setup = (options: CoordinatedShutdownOptions = {}, fromPhase?: string) => {
  const clock = new ManualClock();
  const logger = new RecordingLogger();
  const resolved = resolveShutdownOptions({ clock, logger, ...options });
  const graph = new PhaseGraph(resolved.phases);
  const tasks = new TaskRegistry();
  const events: ShutdownEvent[] = [];
  const sequence = new PhaseSequence({
    plan: graph.plan,
    timeoutOf: (phase) => graph.get(phase, 'test').timeoutMs,
    tasks,
    options: resolved,
    reason: new UnknownReason(),
    deadline: Deadline.after(resolved.timeoutMs, clock),
    fromPhase,
    emit: (event) => events.push(event),
  });
  let over = false;
  const begin = () => void sequence.start().then(() => (over = true));
  const statuses = () => Object.fromEntries(sequence.phases.map((phase) => [phase.name, phase.status]));
  return { clock, logger, tasks, events, sequence, begin, over: () => over, statuses };
};

describe('PhaseSequence', () => {
  it('has a report for each phase in running order, no matter which finished first', async () => {
    const phases = { slow: {}, quick: {} };
    const { clock, tasks, sequence, begin, over } = setup({ phases, concurrency: 'graph' });
    tasks.add('slow', 's', () => delay(clock, 50));
    begin();
    await clock.advanceAsync(50);

    expect(over()).toBe(true);
    expect(sequence.phases.map((phase) => phase.name).slice(-3)).toEqual(['slow', 'quick', 'actor-system-terminate']);
    expect(sequence.status).toBe('completed');
  });

  it('knows the running tasks and the phases that accept no more tasks', async () => {
    const { clock, tasks, sequence, begin } = setup({ phases: { x: { before: ['before-service-unbind'] } } });
    tasks.add('service-unbind', 'a', never);
    tasks.add('service-unbind', 'b', never);
    begin();
    await settle(clock);

    expect(sequence.running.map((task) => task.task)).toEqual(['a', 'b']);
    expect(sequence.running.every((task) => sequence.isRunning(task))).toBe(true);
    expect(sequence.tooLateFor('service-unbind')).toBe('it is already running');
    expect(sequence.tooLateFor('x')).toBe('it has already ended (completed), and the shutdown is in service-unbind');
    expect(sequence.tooLateFor('service-stop')).toBeUndefined();
    const [a] = sequence.running;
    a!.expire('task');
    expect(sequence.isRunning(a!)).toBe(false);
  });

  it('skips pending phases when forced, and names the tasks that did not run', async () => {
    const { clock, logger, tasks, sequence, begin, over, statuses } = setup();
    tasks.add('service-unbind', 'a', never);
    tasks.add('service-stop', 'b', never);
    begin();
    await settle(clock);
    sequence.force();
    await settle(clock);

    expect([over(), sequence.status]).toEqual([true, 'forced']);
    expect(statuses()).toMatchObject({ 'service-unbind': 'timed-out', 'service-stop': 'skipped' });
    expect(logger.lines).toContain('log: phase service-stop skipped: b did not run');
  });

  it('does not report a forced end as aborted, even if a phase has recover: false', async () => {
    const { clock, logger, tasks, sequence, begin } = setup({ phases: { 'service-unbind': { recover: false } } });
    tasks.add('service-unbind', 'a', never);
    begin();
    await settle(clock);
    sequence.force();
    await settle(clock);

    expect(sequence.status).toBe('forced');
    expect(logger.matching(/recover: false/)).toEqual([]);
  });

  it('skips all phases before fromPhase in running order', async () => {
    const { clock, begin, statuses } = setup({}, 'cluster-shutdown');
    begin();
    await settle(clock);

    expect(Object.values(statuses())).toEqual([
      ...Array<string>(9).fill('skipped'),
      ...Array<string>(3).fill('completed'),
    ]);
  });

  it('emits one event with the report at the end of each phase', async () => {
    const { clock, tasks, events, sequence, begin } = setup(
      { phases: { 'service-stop': { enabled: false } } },
      'service-unbind',
    );
    tasks.add('service-unbind', 'a', () => Promise.reject(new Error('x')));
    begin();
    await settle(clock);
    const ends = events.filter((event) => 'report' in event && !('task' in event));

    expect(ends.map((event) => `${event.type}`).slice(0, 5)).toEqual([
      'phase.skipped',
      'phase.failed',
      'phase.finished',
      'phase.disabled',
      'phase.finished',
    ]);
    expect(ends.map((event) => 'report' in event && event.report)).toEqual(sequence.phases);
  });
});
