import { isAlive } from '../../../support/app-process.js';
import { untilSecondPress } from '../../../support/second-press.js';
import { CLEAN, signal } from './support/fleet-process.js';
import { TestBed } from './support/test-bed.js';

const bed = new TestBed();

describe('processes and threads that a child starts', () => {
  const plan = { processes: [{ name: 'family', file: 'family.js' }] };

  it('do not belong to the launcher: they have none of its listeners, and signals have their usual effect', async () => {
    const fleet = await bed.up(plan);
    await fleet.line(/^\[family#1\] process listens to \[\], has 0 listeners$/);
    await fleet.line(/^\[family#1\] thread listens to \[\], has 0 listeners$/);
    signal(Number((await fleet.line(/\] process \d+$/)).split(' ').at(-1)), 'SIGINT');
    await fleet.line(/^\[family#1\] process ended with SIGINT$/);
    await fleet.kill('SIGTERM');
    (await bed.at('family')).open();
    expect(await fleet.end()).toEqual(CLEAN);
  });

  it('live until the child ends them when the launcher stops', async () => {
    const fleet = await bed.up(plan);
    const pid = Number((await fleet.line(/\] process \d+$/)).split(' ').at(-1));
    await fleet.line(/thread listens/);
    await fleet.line(/process listens/);
    await fleet.kill('SIGTERM');
    const family = await bed.at('family');
    expect(isAlive(pid)).toBe(true);
    expect(fleet.lines(/ended with/)).toEqual([]);
    family.open();
    expect(await fleet.endSoon()).toEqual(CLEAN);
  });

  it('are not left behind by a second Ctrl+C to the whole group', async () => {
    const fleet = await bed.up(plan);
    await fleet.line(/process listens/);
    await fleet.killGroup('SIGINT');
    await bed.at('family');
    await untilSecondPress();
    await fleet.killGroup('SIGINT');
    expect(await fleet.endSoon()).toEqual({ code: 130, signal: null });
  });
});
