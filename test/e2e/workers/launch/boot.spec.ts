import { CLEAN, FleetProcess } from './support/fleet-process.js';
import { TestBed } from './support/test-bed.js';
import { until } from '../../../support/until.js';

const bed = new TestBed();

describe('a signal while the children boot', () => {
  it.each<{ name: NodeJS.Signals; to: 'primary' | 'group'; app: string }>([
    { name: 'SIGTERM', to: 'primary', app: 'web.js' },
    { name: 'SIGINT', to: 'group', app: 'web.js' },
    { name: 'SIGTERM', to: 'group', app: 'web.js' },
    { name: 'SIGTERM', to: 'primary', app: 'nest-web.js' },
    { name: 'SIGINT', to: 'group', app: 'nest-web.js' },
  ])('$name to the $to, $app: they exit when they are up and never listen', async ({ name, to, app }) => {
    const fleet = bed.start({
      app,
      http: { count: 2, env: { BOOT: 'gate' } },
      processes: [{ name: 'job', file: 'job.js', env: { BOOT: 'gate' } }],
    });
    const booting = [await bed.at('boot'), await bed.at('boot'), await bed.at('boot')];
    await (to === 'group' ? fleet.killGroup(name) : fleet.kill(name));
    await fleet.count(/SIGTERM\)? during boot/, 3);
    for (const one of booting) one.open();
    expect(await fleet.end()).toEqual(CLEAN);
    expect(fleet.lines(/listening|\] ready|all up|\) is up/)).toEqual([]);
    expect(fleet.lines(/restarting it/)).toEqual([]);
  });

  it.each<{ name: NodeJS.Signals; to: 'primary' | 'group' }>([
    { name: 'SIGTERM', to: 'group' },
    { name: 'SIGINT', to: 'group' },
    { name: 'SIGTERM', to: 'primary' },
  ])('$name to the $to before their programs are loaded: no child comes up, exit code 0', async ({ name, to }) => {
    const fleet = bed.start({ app: 'web.js', http: 3, processes: [{ name: 'job', file: 'job.js', count: 2 }] });
    const pid = await fleet.pid();
    await until('the first child', () => fleet.processes().some(({ parent }) => parent === pid));
    await (to === 'group' ? fleet.killGroup(name) : fleet.kill(name));
    expect(await fleet.end()).toEqual(CLEAN);
    expect(fleet.lines(/listening|all up|had to be killed/)).toEqual([]);
  });
});

describe('a signal before launch() is called', () => {
  const waits = { env: { BEFORE_LAUNCH: 'gate' } };

  it('ends the program like any other, without a child', async () => {
    const fleet = bed.start({ app: 'web.js', http: 2 }, waits);
    await bed.at('before launch');
    await fleet.kill('SIGTERM');
    expect(await fleet.end()).toEqual({ code: null, signal: 'SIGTERM' });
    expect(fleet.output).not.toMatch(/starting|booting/);
  });

  it('is remembered with @roost/shutdown/early: no child is started, exit code 0', async () => {
    const fleet = bed.start({ app: 'web.js', http: 2 }, { ...waits, nodeArgs: ['--import', '@roost/shutdown/early'] });
    const before = await bed.at('before launch');
    await fleet.kill('SIGTERM');
    await fleet.line(/SIGTERM during boot/);
    before.open();
    expect(await fleet.end()).toEqual(CLEAN);
    expect(fleet.output).not.toMatch(/booting/);
  });
});

it('launch() does not resolve in a program that is stopped before it is up', async () => {
  const fleet: FleetProcess = bed.start({ app: 'web.js', http: { count: 1, env: { BOOT: 'gate' } } });
  const booting = await bed.at('boot');
  await fleet.kill('SIGTERM');
  await fleet.line(/SIGTERM during boot/);
  booting.open();
  expect(await fleet.end()).toEqual(CLEAN);
  expect(fleet.lines(/^all up$/)).toEqual([]);
});
