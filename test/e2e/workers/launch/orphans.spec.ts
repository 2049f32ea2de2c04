import { get } from '../../../support/http-client.js';
import { TestBed } from './support/test-bed.js';
import { until } from '../../../support/until.js';

const bed = new TestBed();
const KILLED = { code: null, signal: 'SIGKILL' };

describe('when the primary is killed', () => {
  it('every child finishes its current work and exits', async () => {
    const fleet = await bed.up({
      app: 'nest-web.js',
      http: 1,
      processes: [
        { name: 'job', file: 'job.js', env: { STOP: 'gate' } },
        { name: 'consumer', module: 'ConsumerModule', env: { RUN: 'gate' } },
      ],
    });
    const answer = get(await fleet.port(), '/gate');
    const request = await bed.at('request');
    const turn = await bed.at('run');
    await fleet.kill('SIGKILL');
    expect(await fleet.app.exit()).toEqual(KILLED);
    const step = await bed.at('stop');
    expect(
      fleet
        .processes()
        .map(({ pid }) => pid)
        .sort(),
    ).toEqual([request.pid, turn.pid, step.pid].sort());
    request.open();
    expect(await answer).toEqual({ status: 200, body: String(request.pid) });
    await until('the end of the worker', () => fleet.processes().length === 2);
    step.open();
    await until('the end of the job', () => fleet.processes().length === 1);
    turn.open();
    await fleet.gone();
  });

  it('a child that is booting exits too, and never listens', async () => {
    const fleet = bed.start({
      prefixLogs: false,
      app: 'web.js',
      http: { count: 1, env: { BOOT: 'gate' } },
      processes: [{ name: 'job', file: 'job.js', env: { BOOT: 'gate' } }],
    });
    const booting = [await bed.at('boot'), await bed.at('boot')];
    await fleet.kill('SIGKILL');
    await fleet.count(/SIGTERM during boot/, 2);
    for (const one of booting) one.open();
    await fleet.gone();
    await fleet.app.end();
    expect(fleet.lines(/ready|listening/)).toEqual([]);
  });

  it.each([true, false])(
    'no child remains if their programs are not loaded yet (prefixLogs: %s)',
    async (prefixLogs) => {
      const processes = [{ name: 'job', file: 'job.js', count: 2 }];
      const fleet = bed.start({ prefixLogs, app: 'web.js', http: 2, processes });
      const pid = await fleet.pid();
      await until('the children', () => fleet.processes().filter(({ parent }) => parent === pid).length === 4);
      await fleet.kill('SIGKILL');
      await fleet.gone();
    },
  );

  it('children learn the reason, and none fails for lack of a reader', async () => {
    // Children print directly, so that the test can see their output.
    const processes = [{ name: 'job', file: 'job.js', count: 2 }];
    const fleet = await bed.up({ prefixLogs: false, app: 'web.js', http: 2, processes });
    await fleet.kill('SIGKILL');
    await fleet.gone();
    await fleet.app.end();
    expect(fleet.lines(/^stopping: parent-gone/)).toHaveLength(4);
    expect(fleet.lines(/^(step done|all requests answered)$/)).toHaveLength(4);
    expect(fleet.lines(/shutdown completed in .*exit code 0/)).toHaveLength(4);
    expect(fleet.output).not.toMatch(/^\s+at .*:\d+/m);
  });

  it('a blocked child exits when it is no longer blocked', async () => {
    const fleet = await bed.up({ processes: [{ name: 'job', file: 'job.js', env: { RUN: 'gate spin' } }] });
    (await bed.at('run')).open();
    await fleet.kill('SIGKILL');
    await fleet.gone();
  });
});
