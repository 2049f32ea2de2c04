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

/** A placement with a separate process for the coordinator. */
const APART = { processes: { left: ['source'], right: ['double'], last: ['sink'] } };

/** Starts the program, and waits until the process named in the plan is booting. */
const booting = async (plan: Plan) => {
  const family = new Family(plan, { GATE_PORT: String(gates.port) });
  return { family, gate: await gates.next('boot') };
};

/** Checks that all nodes stopped at one tag, and that nothing was lost. */
const expectCleanStop = (family: Family): void => {
  const { tags, handled } = family.stops();
  expect([...tags]).toHaveLength(1);
  expect(Object.keys(handled).sort()).toEqual(['double', 'sink', 'source']);
  expect(new Set(Object.values(handled)).size).toBe(1);
  expect(family.output).not.toMatch(/^wrong/m);
  // No stack trace was printed.
  expect(family.output).not.toMatch(/^\s+at .*:\d+/m);
};

describe('launchDataflow', () => {
  it('gives the same result as one process, and ends all processes', async () => {
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

  it('stops at the timeout, like a single process', async () => {
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

  it('runs nodes in the first process too, and accepts a module per process', async () => {
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

describe('a signal to launched processes', () => {
  it.each<[string, (family: Family) => Promise<void>]>([
    ['SIGTERM to the first process', (family) => family.kill('SIGTERM')],
    ['SIGINT to all processes', (family) => family.killGroup('SIGINT')],
    [
      'SIGTERM to another process',
      async (family) => {
        signal(family.pidOf('double'), 'SIGTERM');
        await Promise.resolve();
      },
    ],
    [
      'SIGTERM to all processes, twice',
      async (family) => {
        await family.killGroup('SIGTERM');
        await family.killGroup('SIGTERM');
      },
    ],
  ])('%s stops all at one tag, loses nothing, and exits with 0', async (_, send) => {
    const family = await Family.running({});
    await send(family);
    expect(await family.end()).toEqual(CLEAN);
    expectCleanStop(family);
    expect(family.app.lines(/shutdown completed .*exit code 0/)).toHaveLength(3);
  });

  it('SIGINT again while a reaction hangs ends all processes immediately, exit code 130', async () => {
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
    ['SIGTERM to the booting process', (_, pid) => signal(pid, 'SIGTERM')],
    ['SIGINT to all processes', (family) => family.killGroup('SIGINT')],
  ])('%s while another process boots keeps the graph from starting, exit code 0', async (_, send) => {
    const { family, gate } = await booting({ gateIn: 'right' });
    await send(family, gate.pid);
    await family.app.line(/ during boot/);
    gate.open();
    expect(await family.end()).toEqual(CLEAN);
    expect(family.output).not.toMatch(/^start /m);
  });

  it('SIGINT to all kills a process that has not reached the launcher, and the graph never starts, exit code 0', async () => {
    const family = new Family({ waitsIn: 'right' }, { GATE_PORT: String(gates.port) });
    await gates.next('before');
    await family.killGroup('SIGINT');
    expect(await family.end()).toEqual(CLEAN);
    expect(family.output).toMatch(/process "right" exited \(signal SIGINT\)/);
    expect(family.output).not.toMatch(/^start /m);
  });
});

describe('a failing reaction in another process', () => {
  it.each<[string, Plan['trouble'], AppResult, RegExp]>([
    ['when it throws', { at: 20, what: 'throw' }, FAILED, /thrown on purpose/],
    ['when it fails with a code', { at: 20, what: 'fail' }, { code: 7, signal: null }, /failed on purpose/],
  ])('%s ends all processes with its exit code', async (_, trouble, result, message) => {
    const family = new Family({ trouble });
    expect(await family.end()).toEqual(result);
    const { status, exitCode, error, processes } = family.report();
    expect({ status, exitCode }).toEqual({ status: 'forced', exitCode: result.code });
    expect(error!.message).toMatch(message);
    expect(processes!.map(({ code }) => code)).toEqual([result.code, result.code]);
  });
});

describe('launchDataflow with a process that cannot take part', () => {
  it.each<[string, Plan, RegExp]>([
    ['an invalid graph', { badGraph: true }, /DuplicateConnectionError/],
    [
      'a placement without a node',
      { placement: { processes: { left: ['source', 'sink'] } } },
      /PlacementError.*double/,
    ],
    ['a process without a module', { ownModules: true, withoutModule: 'last' }, /module.*"last"/],
  ])('rejects %s immediately, and starts no process', async (_, plan, message) => {
    const family = new Family(plan);
    expect(await family.end()).toEqual(FAILED);
    expect(family.output).toMatch(message);
    expect(family.app.lines(/^run /)).toHaveLength(1);
  });

  it('ends the run immediately when a process exits before it joins', async () => {
    const family = new Family({ diesIn: 'right' });
    expect(await family.end()).toEqual(FAILED);
    expect(family.report().error).toMatchObject({
      code: 'DATAFLOW_STOP_FORCED',
      message: expect.stringContaining('process "right" exited (code 3) before the run ended') as string,
    });
  });

  it('kills a process that does not exit', async () => {
    const family = new Family({ count: 10, hangsIn: 'right', killAfterMs: 500 });
    expect(await family.end()).toEqual(FAILED);
    expect(family.output).toMatch(/process "right" \(pid \d+\) did not exit within 500 ms and was killed/);
    expect(family.report()).toMatchObject({ status: 'completed', exitCode: 0 });
    expect(family.report().processes).toContainEqual({ process: 'right', code: null, signal: 'SIGKILL' });
  });

  it('kills a process that does not exit after a signal, and exits with 1', async () => {
    const family = await Family.running({ hangsIn: 'right', killAfterMs: 500 });
    await family.kill('SIGTERM');
    expect(await family.end()).toEqual(FAILED);
    expect(family.output).toMatch(/The run ended, but some processes did not exit cleanly: "right" with SIGKILL/);
    expectCleanStop(family);
  });
});

describe('time limit for the exit of a process', () => {
  it('may be longer than the default of a phase', async () => {
    const family = await Family.running({ hangsIn: 'right', killAfterMs: 6_000 });
    await family.kill('SIGTERM');
    expect(await family.end()).toEqual(FAILED);
    expect(family.output).toMatch(/process "right" \(pid \d+\) did not exit within 6 s and was killed/);
    expect(family.output).toMatch(/some processes did not exit cleanly: "right" with SIGKILL/);
  });

  it('ends before the shutdown does, so that no process remains', async () => {
    const family = new Family({ gateIn: 'right' }, { GATE_PORT: String(gates.port), ROOST_TIMEOUT_MS: '3s' });
    const { pid } = await gates.next('boot');
    signal(pid, 'SIGSTOP');
    await family.kill('SIGTERM');
    expect(await family.end()).toEqual(CLEAN);
    expect(family.output).toMatch(/process "right" \(pid \d+\) did not exit within .* and was killed/);
  });
});

describe('a crash of another process', () => {
  it.each<[string, Plan, (family: Family) => void, string]>([
    ['by a signal', {}, (family) => signal(family.pidOf('double'), 'SIGKILL'), 'signal SIGKILL'],
    ['by an exit', { trouble: { at: 20, what: 'exit' } }, () => undefined, 'code 9'],
  ])('%s ends all processes', async (_, plan, crash, how) => {
    const family = await Family.running(plan);
    crash(family);
    expect(await family.end()).toEqual(FAILED);
    expect(family.report().error!.message).toContain(`process "right" exited (${how}) before the run ended`);
  });

  it('restarts the process with onCrash: restart, and every number arrives once', async () => {
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

describe('launched processes, when the first process is killed,', () => {
  it('notice the loss and exit with an error', async () => {
    const family = await Family.running({});
    const from = performance.now();
    await family.kill('SIGKILL');
    await family.gone();
    expect(performance.now() - from).toBeLessThan(3_000);
    await family.app.end();
    expect(family.app.lines(/The coordinator in process "first" is lost/).length).toBeGreaterThanOrEqual(2);
    expect(family.app.lines(/shutdown completed .*exit code 1/)).toHaveLength(2);
  });

  it('exit during their boot, without starting', async () => {
    const { family, gate } = await booting({ gateIn: 'right' });
    await family.kill('SIGKILL');
    await family.app.line(/ during boot/);
    gate.open();
    await family.gone();
    expect(family.output).not.toMatch(/^start /m);
  });
});
