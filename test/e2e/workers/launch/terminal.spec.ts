import { runCommand } from '../../../support/run-command.js';
import { type FleetProcess, signal } from './support/fleet-process.js';
import { TestBed } from './support/test-bed.js';
import { until } from '../../../support/until.js';

const bed = new TestBed();

/** Runs the launcher in a new terminal. */
const wrapper = ['sh', '-c', `exec script -qec "exec $(printf "'%s' " "$@")" /dev/null`, 'sh'];

beforeAll(async () => {
  const { code } = await runCommand('script', ['--version']).catch(() => ({ code: 1 }));
  if (code !== 0)
    throw new Error('These tests need script of util-linux. On Debian, as root: apt-get install bsdutils');
});

const plan = {
  app: 'web.js',
  http: 1,
  processes: [{ name: 'job', file: 'job.js', env: { STOP: 'gate' } }],
};

/** Pid of the launcher, not of the terminal around it. */
const launcherOf = (fleet: FleetProcess): Promise<number> =>
  until('the launcher', async () => {
    const terminal = await fleet.pid();
    return fleet.processes().find(({ parent }) => parent === terminal)?.pid;
  });

describe('launcher in a terminal', () => {
  it('lets all processes finish and exit when the terminal is closed', async () => {
    const fleet = bed.start(plan, { wrapper });
    await fleet.line(/^all up\r$/);
    const launcher = await launcherOf(fleet);
    await fleet.kill('SIGKILL');
    const step = await bed.at('stop');
    // Does not check that the launcher is still alive: Node itself may crash when its terminal closes. The children
    // still finish.
    const expected = [launcher, step.pid];
    await until('the end of the worker', () => fleet.processes().every(({ pid }) => expected.includes(pid)));
    expect(fleet.processes().map(({ pid }) => pid)).toContain(step.pid);
    step.open();
    await fleet.gone();
    expect(fleet.lines(/rolling restart/)).toEqual([]);
  });

  it('shuts down gracefully on Ctrl+C with exit code 0', async () => {
    const fleet = bed.start(plan, { wrapper });
    await fleet.line(/^all up\r$/);
    fleet.app.send('\x03');
    (await bed.at('stop')).open();
    expect(await fleet.end()).toEqual({ code: 0, signal: null });
    expect(fleet.lines(/^\[job#1\] step done\r$/)).toHaveLength(1);
    expect(fleet.lines(/^\[web#1\] all requests answered\r$/)).toHaveLength(1);
  });

  it('performs a rolling restart on SIGHUP while the terminal is open', async () => {
    const fleet = bed.start({ app: 'web.js', http: 1 }, { wrapper });
    await fleet.line(/^all up\r$/);
    const launcher = await launcherOf(fleet);
    signal(launcher, 'SIGHUP');
    await fleet.line(/rolling restart completed/);
    signal(launcher, 'SIGTERM');
    expect(await fleet.end()).toEqual({ code: 0, signal: null });
  });
});
