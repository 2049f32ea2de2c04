import { UnknownPhaseError } from './errors/unknown-phase.error.js';
import { Phase } from './phase.js';
import { FORCE_MARGIN_MS, type PhaseTimeOptions } from './phase-time.js';
import { delay, setup as createShutdown } from './shutdown.fixture.js';

const PHASE = Phase.ServiceRequestsDone;

function setup(options: Parameters<typeof createShutdown>[0] = {}) {
  const fixture = createShutdown(options);
  const { shutdown } = fixture;
  const timeoutOf = (phase: string) => shutdown.describe().find(({ name }) => name === phase)!.timeoutMs;
  const reserve = (ms: number | (() => number), more: Partial<PhaseTimeOptions> = {}, phase: string = PHASE) =>
    shutdown.reservePhaseTime(phase, ms, { declaredBy: 'DemoModule', advice: 'Lower demoMs.', ...more });
  return { ...fixture, timeoutOf, reserve };
}

describe('reservePhaseTime', () => {
  it('extends a phase to the reserved time plus the force margin', () => {
    const { reserve, timeoutOf } = setup();
    reserve(9_000);
    expect(timeoutOf(PHASE)).toBe(9_000 + FORCE_MARGIN_MS);
  });

  it('does not change a phase that is long enough, even if less is reserved later', () => {
    const { reserve, timeoutOf } = setup();
    reserve(1_000);
    expect(timeoutOf(PHASE)).toBe(5_000);
    reserve(9_000);
    reserve(8_000);
    expect(timeoutOf(PHASE)).toBe(9_100);
  });

  it('reserves nothing for 0 ms, not even the margin', () => {
    const { reserve, timeoutOf } = setup({ defaultPhaseTimeoutMs: 50 });
    reserve(0);
    expect(timeoutOf(PHASE)).toBe(50);
  });

  it('refuses an unknown phase, and names the caller', () => {
    const { reserve } = setup();
    expect(() => reserve(1_000, {}, 'typo')).toThrow(UnknownPhaseError);
    expect(() => reserve(1_000, {}, 'typo')).toThrow('reservePhaseTime() of DemoModule');
  });

  it('calls a function again when the shutdown starts', async () => {
    const { clock, reserve, timeoutOf, shutdown, finish } = setup({ timeoutMs: 120_000 });
    let needsMs = 0;
    reserve(() => needsMs);
    needsMs = 60_000;
    shutdown.addTask(PHASE, 'long', () => delay(clock, 59_000));

    await expect(finish()).resolves.toMatchObject({ status: 'completed', durationMs: 59_000 });
    expect(timeoutOf(PHASE)).toBe(60_100);
  });

  it('does nothing for a phase that has started, or after the shutdown', async () => {
    const { reserve, shutdown, timeoutOf, finish } = setup();
    shutdown.addTask(PHASE, 'late', () => reserve(50_000));
    await expect(finish()).resolves.toMatchObject({ status: 'completed' });
    reserve(50_000);
    expect(timeoutOf(PHASE)).toBe(5_000);
  });
});

describe('growsIntoRestMs', () => {
  it('has no effect before the shutdown starts', () => {
    const { reserve, timeoutOf } = setup();
    reserve(0, { growsIntoRestMs: 20_000 });
    expect(timeoutOf(PHASE)).toBe(5_000);
  });

  it('takes the full amount if enough time is left', async () => {
    const { reserve, timeoutOf, finish } = setup();
    reserve(0, { growsIntoRestMs: () => 20_000 });
    await finish();
    expect(timeoutOf(PHASE)).toBe(20_100);
  });

  it('takes only the time that the deadline, the hooks and the other phases leave', async () => {
    const { reserve, shutdown, timeoutOf, finish } = setup({ timeoutMs: 30_000, hooksBudgetMs: 1_000 });
    shutdown.addTask(Phase.ActorSystemTerminate, 'actors', () => undefined, { timeoutMs: 4_000 });
    shutdown.addTask(PHASE, 'wait', () => undefined);
    reserve(0, { growsIntoRestMs: 60_000 });
    await finish();
    expect(timeoutOf(PHASE)).toBe(25_000);
  });

  it('counts tasks that a shutdown.started listener registers', async () => {
    const { reserve, shutdown, timeoutOf, finish } = setup({ timeoutMs: 30_000, hooksBudgetMs: 1_000 });
    shutdown.addTask(PHASE, 'wait', () => undefined);
    reserve(0, { growsIntoRestMs: 60_000 });
    shutdown.events$.subscribe(({ type }) => {
      if (type === 'shutdown.started')
        shutdown.addTask(Phase.ServiceStop, 'lazy', () => undefined, { timeoutMs: 3_000 });
    });
    await finish();
    expect(timeoutOf(PHASE)).toBe(26_000);
  });

  it('never shortens a phase below the reserved time', async () => {
    const { reserve, shutdown, timeoutOf, finish } = setup({ timeoutMs: 2_000 });
    shutdown.addTask(PHASE, 'wait', () => undefined);
    reserve(9_000, { growsIntoRestMs: 60_000 });
    await finish();
    expect(timeoutOf(PHASE)).toBe(9_100);
  });
});

describe('A phase timeout set by the application', () => {
  const phases = { [PHASE]: { timeoutMs: 3_000 } };

  it('wins over reservations, before and during the shutdown', async () => {
    const { reserve, timeoutOf, finish } = setup({ phases });
    reserve(9_000, { growsIntoRestMs: 20_000 });
    expect(timeoutOf(PHASE)).toBe(3_000);
    await finish();
    expect(timeoutOf(PHASE)).toBe(3_000);
  });

  it('causes a warning if it is too short', () => {
    const { reserve, shutdown } = setup({ phases });
    reserve(9_000);
    expect(shutdown.budgetWarnings()).toEqual([
      'phase service-requests-done ends after 3 s, but DemoModule may need 9 s. Lower demoMs.',
    ]);
  });

  it('causes no warning if it is long enough, or if only growsIntoRestMs is requested', () => {
    const { reserve, shutdown } = setup({ phases });
    reserve(3_000);
    reserve(0, { growsIntoRestMs: 20_000 });
    expect(shutdown.budgetWarnings()).toEqual([]);
  });
});

describe('budgetWarnings', () => {
  it('uses the current values of reservation functions', () => {
    const { reserve, shutdown } = setup({ timeoutMs: 10_000 });
    let needsMs = 0;
    shutdown.addTask(PHASE, 'wait', () => undefined);
    reserve(() => needsMs);
    expect(shutdown.budgetWarnings()).toEqual([]);
    needsMs = 20_000;
    expect(shutdown.budgetWarnings()).toEqual([expect.stringContaining('shutdown budget does not fit')]);
  });
});

describe('inFlight', () => {
  it('adds up the current values of all gauges', () => {
    const { shutdown } = setup();
    let requests = 2;
    expect(shutdown.inFlight).toBe(0);
    shutdown.addInFlightGauge(() => requests);
    const remove = shutdown.addInFlightGauge(() => 5);
    expect(shutdown.inFlight).toBe(7);
    requests = 0;
    remove();
    remove();
    expect(shutdown.inFlight).toBe(0);
  });
});
