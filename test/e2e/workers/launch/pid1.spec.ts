import { runCommand } from '../../../support/run-command.js';
import { untilSecondPress } from '../../../support/second-press.js';
import { CLEAN, type FleetProcess, signal } from './support/fleet-process.js';
import { get } from '../../../support/http-client.js';
import { TestBed } from './support/test-bed.js';
import { until } from '../../../support/until.js';

const bed = new TestBed();

/** Creates a new process table in which the launcher is the first process, as in a container without an init. */
const wrapper = ['unshare', '--map-root-user', '--pid', '--fork', '--mount-proc', '--kill-child'];

beforeAll(async () => {
  const [command = '', ...args] = wrapper;
  const result = await runCommand(command, [...args, 'true']).catch((error: Error) => ({
    code: 1,
    stderr: error.message,
  }));
  if (result.code === 0) return;
  throw new Error(
    `"${wrapper.join(' ')} true" failed: ${result.stderr}\nThese tests need unshare of util-linux, and the right to make ` +
      'a pid namespace: be root, or let users have namespaces (sysctl kernel.unprivileged_userns_clone=1).',
  );
});

/** Its pid in the outer process table. */
const initOf = (fleet: FleetProcess): Promise<number> =>
  until('the launcher', async () => {
    const outside = await fleet.pid();
    return fleet.processes().find(({ parent }) => parent === outside)?.pid;
  });

describe('launcher as PID 1', () => {
  it.each<{ name: NodeJS.Signals; to: 'the launcher' | 'the group' }>([
    { name: 'SIGTERM', to: 'the launcher' },
    { name: 'SIGINT', to: 'the launcher' },
    { name: 'SIGINT', to: 'the group' },
  ])('$name to $to: finishes in-flight work, exit code 0', async ({ name, to }) => {
    const plan = { app: 'web.js', http: 2, processes: [{ name: 'job', file: 'job.js', env: { STOP: 'gate' } }] };
    const fleet = await bed.up(plan, { wrapper });
    expect(fleet.lines(/^\[primary\] pid 1: starting 3 children/)).toHaveLength(1);
    const answer = get(await fleet.port(), '/gate');
    const request = await bed.at('request');
    if (to === 'the group') await fleet.killGroup(name);
    else signal(await initOf(fleet), name);
    const step = await bed.at('stop');
    await fleet.count(/^\[web#\d\] stopping: /, 2);
    request.open();
    expect((await answer).status).toBe(200);
    step.open();
    expect(await fleet.end()).toEqual(CLEAN);
    expect(fleet.lines(/^\[job#1\] step done$/)).toHaveLength(1);
  });

  it('signal while the children boot: they exit when they are up, exit code 0', async () => {
    const fleet = bed.start({ app: 'web.js', http: { count: 2, env: { BOOT: 'gate' } } }, { wrapper });
    const booting = [await bed.at('boot'), await bed.at('boot')];
    signal(await initOf(fleet), 'SIGTERM');
    await fleet.count(/SIGTERM during boot/, 2);
    for (const one of booting) one.open();
    expect(await fleet.end()).toEqual(CLEAN);
    expect(fleet.lines(/listening/)).toEqual([]);
  });

  it('second Ctrl+C: all processes end immediately, exit code 130', async () => {
    const fleet = await bed.up({ processes: [{ name: 'job', file: 'job.js', env: { STOP: 'never' } }] }, { wrapper });
    const init = await initOf(fleet);
    signal(init, 'SIGINT');
    await fleet.line(/stopping/);
    await untilSecondPress();
    signal(init, 'SIGINT');
    expect(await fleet.endSoon()).toEqual({ code: 130, signal: null });
  });

  it('replaces a killed child, and all children on SIGHUP', async () => {
    const fleet = await bed.up({ processes: [{ name: 'job', file: 'job.js', count: 2 }] }, { wrapper });
    const init = await initOf(fleet);
    const [child] = fleet.processes().filter(({ parent }) => parent === init);
    signal(child!.pid, 'SIGKILL');
    await fleet.count(/\) is up after/, 3);
    signal(init, 'SIGHUP');
    await fleet.line(/rolling restart completed/);
    await fleet.count(/\) is up after/, 5);
    expect(fleet.processes().filter(({ state }) => state === 'Z')).toEqual([]);
    signal(init, 'SIGTERM');
    expect(await fleet.end()).toEqual(CLEAN);
  });
});
