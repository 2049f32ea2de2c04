import type { AppResult } from '../../support/app-process.js';
import { untilSecondPress } from '../../support/second-press.js';
import { GateKeeper } from '../workers/launch/support/gate-keeper.js';
import { signal } from '../workers/launch/support/fleet-process.js';
import { until } from '../../support/until.js';
import type { Plan } from './fixtures/plan.js';
import { Family } from './support/family.js';
import { embedded } from './support/printed.js';

const { jest } = import.meta;
jest.setTimeout(30_000);

const CLEAN: AppResult = { code: 0, signal: null };
const FAILED: AppResult = { code: 1, signal: null };

let gates: GateKeeper;
beforeAll(async () => {
  gates = await GateKeeper.start();
});
afterEach(() => Family.killAll());
afterAll(() => gates.close());

/** With a process for the coordinator alone. */
const APART = { processes: { left: ['source'], right: ['double'], last: ['sink'] } };

/** Starts it and waits until the process that the plan names is in the middle of its boot. */
const booting = async (plan: Plan) => {
  const family = new Family(plan, { GATE_PORT: String(gates.port) });
  return { family, gate: await gates.next('boot') };
};

/** A node stopped at one tag, as all others, and nothing was lost on the way. */
const expectCleanStop = (family: Family): void => {
  const { tags, handled } = family.stops();
  expect([...tags]).toHaveLength(1);
  expect(Object.keys(handled).sort()).toEqual(['double', 'sink', 'source']);
  expect(new Set(Object.values(handled)).size).toBe(1);
  expect(family.output).not.toMatch(/^wrong/m);
  // There is nothing to explain.
  expect(family.output).not.toMatch(/^\s+at .*:\d+/m);
};

describe('launchDataflow', () => {
  it('gives the same result as one process, and ends everybody', async () => {
    const plan: Plan = { count: 60, periodMs: 2 };
    const family = new Family({ ...plan, placement: APART });
    const alone = await embedded(plan);
    expect(await family.end()).toEqual(CLEAN);
    const { status, digest, stopTag, nodes, processes } = family.report();
    expect({ status, digest, stopTag, nodes }).toEqual({
      status: 'completed',
      digest: alone.digest,
      stopTag: alone.stopTag,
      nodes: alone.nodes,
    });
    expect(processes!.map(({ process, code }) => [process, code]).sort()).toEqual([
      ['last', 0],
      ['left', 0],
      ['right', 0],
    ]);
    expectCleanStop(family);
  });

  it('stops at the timeout, as one process does', async () => {
    const plan: Plan = { timeoutMs: 203 };
    const family = new Family(plan);
    const alone = await embedded(plan);
    expect(await family.end()).toEqual(CLEAN);
    expect(family.report()).toMatchObject({
      status: 'stopped',
      stopTag: { time: 203_000_000, microstep: 0 },
      digest: alone.digest,
    });
    expectCleanStop(family);
  });

  it('runs nodes in the first process too, and takes a module for each process', async () => {
    const plan: Plan = {
      count: 30,
      fast: true,
      ownModules: true,
      placement: { processes: { first: ['source', 'sink'], second: ['double'], idle: [] }, coordinator: 'first' },
    };
    const family = new Family(plan);
    const alone = await embedded({ count: 30 });
    expect(await family.end()).toEqual(CLEAN);
    expect(family.report()).toMatchObject({ status: 'completed', digest: alone.digest, exitCode: 0 });
    expect(
      family
        .report()
        .processes!.map(({ process, code }) => [process, code])
        .sort(),
    ).toEqual([
      ['idle', 0],
      ['second', 0],
    ]);
    expect(family.pidOf('source')).toBe(await family.pid());
    expect(family.pidOf('double')).not.toBe(await family.pid());
  });
});

describe('a signal', () => {
  it.each<[string, (family: Family) => Promise<void>]>([
    ['SIGTERM to the first process', (family) => family.kill('SIGTERM')],
    ['SIGINT to everybody', (family) => family.killGroup('SIGINT')],
    [
      'SIGTERM to one of the others',
      async (family) => {
        signal(family.pidOf('double'), 'SIGTERM');
        await Promise.resolve();
      },
    ],
    [
      'SIGTERM to everybody, twice',
      async (family) => {
        await family.killGroup('SIGTERM');
        await family.killGroup('SIGTERM');
      },
    ],
  ])('%s: all stop at one tag, nothing is lost, exit 0', async (_, send) => {
    const family = await Family.running({});
    await send(family);
    expect(await family.end()).toEqual(CLEAN);
    expectCleanStop(family);
    expect(family.app.lines(/shutdown completed .*exit code 0/)).toHaveLength(3);
  });

  it('SIGINT again while a reaction hangs: everybody is gone at once, exit 130', async () => {
    const family = new Family({ trouble: { at: 10, what: 'hang' } });
    await family.app.line(/^trouble/);
    await family.killGroup('SIGINT');
    await until('all shutdowns', () => family.app.lines(/shutdown started/).length === 3);
    await untilSecondPress();
    await family.killGroup('SIGINT');
    expect(await family.app.exit()).toEqual({ code: 130, signal: null });
    await family.gone();
  });

  it.each<[string, (family: Family, booting: number) => Promise<void> | void]>([
    ['SIGTERM to the first process', (family) => family.kill('SIGTERM')],
    ['SIGTERM to the one that boots', (_, pid) => signal(pid, 'SIGTERM')],
    ['SIGINT to everybody', (family) => family.killGroup('SIGINT')],
  ])('%s while another one boots: the graph never begins, exit 0', async (_, send) => {
    const { family, gate } = await booting({ gateIn: 'right' });
    await send(family, gate.pid);
    await family.app.line(/ during boot/);
    gate.open();
    expect(await family.end()).toEqual(CLEAN);
    expect(family.output).not.toMatch(/^start /m);
  });

  it('SIGINT to everybody kills one that has not come to the launcher yet: the graph never begins, exit 0', async () => {
    const family = new Family({ waitsIn: 'right' }, { GATE_PORT: String(gates.port) });
    await gates.next('before');
    await family.killGroup('SIGINT');
    expect(await family.end()).toEqual(CLEAN);
    expect(family.output).toMatch(/process "right" exited \(signal SIGINT\)/);
    expect(family.output).not.toMatch(/^start /m);
  });
});

describe('a reaction', () => {
  it.each<[string, Plan['trouble'], AppResult, RegExp]>([
    ['that throws', { at: 20, what: 'throw' }, FAILED, /thrown on purpose/],
    ['that fails with a code', { at: 20, what: 'fail' }, { code: 7, signal: null }, /failed on purpose/],
  ])('%s in another process ends everybody with its code', async (_, trouble, result, message) => {
    const family = new Family({ trouble });
    expect(await family.end()).toEqual(result);
    const { status, exitCode, error, processes } = family.report();
    expect({ status, exitCode }).toEqual({ status: 'forced', exitCode: result.code });
    expect(error!.message).toMatch(message);
    expect(processes!.map(({ code }) => code)).toEqual([result.code, result.code]);
  });
});

describe('a process that cannot take part', () => {
  it.each<[string, Plan, RegExp]>([
    ['a bad graph', { badGraph: true }, /DuplicateConnectionError/],
    [
      'a placement without a node',
      { placement: { processes: { left: ['source', 'sink'] } } },
      /PlacementError.*double/,
    ],
    ['a process without a module', { ownModules: true, withoutModule: 'last' }, /module.*"last"/],
  ])('%s is told at once, and nobody is started', async (_, plan, message) => {
    const family = new Family(plan);
    expect(await family.end()).toEqual(FAILED);
    expect(family.output).toMatch(message);
    expect(family.app.lines(/^run /)).toHaveLength(1);
  });

  it('because it dies before it joins ends the run at once', async () => {
    const family = new Family({ diesIn: 'right' });
    expect(await family.end()).toEqual(FAILED);
    expect(family.report().error).toMatchObject({
      code: 'DATAFLOW_STOP_FORCED',
      message: expect.stringContaining('process "right" exited (code 3) before the run ended') as string,
    });
  });

  it('because it does not end is killed', async () => {
    const family = new Family({ count: 10, hangsIn: 'right', killAfterMs: 500 });
    expect(await family.end()).toEqual(FAILED);
    expect(family.output).toMatch(/process "right" \(pid \d+\) did not exit within 500 ms and was killed/);
    expect(family.report()).toMatchObject({ status: 'completed', exitCode: 0 });
    expect(family.report().processes).toContainEqual({ process: 'right', code: null, signal: 'SIGKILL' });
  });

  it('because it does not end after a signal is killed, and the exit code tells', async () => {
    const family = await Family.running({ hangsIn: 'right', killAfterMs: 500 });
    await family.kill('SIGTERM');
    expect(await family.end()).toEqual(FAILED);
    expect(family.output).toMatch(/The run ended, but some processes did not exit cleanly: "right" with SIGKILL/);
    expectCleanStop(family);
  });
});

describe('the time to end of a process that does not', () => {
  it('may be longer than that of a phase', async () => {
    const family = await Family.running({ hangsIn: 'right', killAfterMs: 6_000 });
    await family.kill('SIGTERM');
    expect(await family.end()).toEqual(FAILED);
    expect(family.output).toMatch(/process "right" \(pid \d+\) did not exit within 6 s and was killed/);
    expect(family.output).toMatch(/some processes did not exit cleanly: "right" with SIGKILL/);
  });

  it('is over before the shutdown is: nobody is left behind', async () => {
    const family = new Family({ gateIn: 'right' }, { GATE_PORT: String(gates.port), ROOST_TIMEOUT_MS: '3s' });
    const { pid } = await gates.next('boot');
    signal(pid, 'SIGSTOP');
    await family.kill('SIGTERM');
    expect(await family.end()).toEqual(CLEAN);
    expect(family.output).toMatch(/process "right" \(pid \d+\) did not exit within .* and was killed/);
  });
});

describe('another process', () => {
  it.each<[string, Plan, (family: Family) => void, string]>([
    ['that is killed', {}, (family) => signal(family.pidOf('double'), 'SIGKILL'), 'signal SIGKILL'],
    ['that exits', { trouble: { at: 20, what: 'exit' } }, () => undefined, 'code 9'],
  ])('%s ends everybody', async (_, plan, crash, how) => {
    const family = await Family.running(plan);
    crash(family);
    expect(await family.end()).toEqual(FAILED);
    expect(family.report().error!.message).toContain(`process "right" exited (${how}) before the run ended`);
  });

  it('that is killed, with onCrash: restart, is started again, and every number arrives once', async () => {
    const plan: Plan = { count: 200, onCrash: 'restart' };
    const family = await Family.running(plan);
    signal(family.pidOf('double'), 'SIGKILL');
    const alone = await embedded(plan);
    expect(await family.end()).toEqual(CLEAN);
    expect(family.app.lines(/^run right/)).toHaveLength(2);
    const { status, nodes } = family.report();
    expect(status).toBe('completed');
    expect(nodes['source']).toEqual(alone.nodes['source']);
    expect(nodes['sink']).toEqual(alone.nodes['sink']);
    expect(family.output).not.toMatch(/^wrong/m);
  });
});

describe('when the first process is killed', () => {
  it('the others notice, and end by themselves with an error', async () => {
    const family = await Family.running({});
    const from = performance.now();
    await family.kill('SIGKILL');
    await family.gone();
    expect(performance.now() - from).toBeLessThan(3_000);
    await family.app.end();
    expect(family.app.lines(/The coordinator in process "first" is lost/).length).toBeGreaterThanOrEqual(2);
    expect(family.app.lines(/shutdown completed .*exit code 1/)).toHaveLength(2);
  });

  it('one that boots ends too, and never begins', async () => {
    const { family, gate } = await booting({ gateIn: 'right' });
    await family.kill('SIGKILL');
    await family.app.line(/ during boot/);
    gate.open();
    await family.gone();
    expect(family.output).not.toMatch(/^start /m);
  });
});
