import { signal, FAILED } from './support/fleet-process.js';
import { get } from '../../../support/http-client.js';
import { TestBed } from './support/test-bed.js';

const bed = new TestBed();

/** A child gets one second in addition to its `maxWaitMs` to report stuck work. */
const KILLED = /job#1 \(pid \d+\) had to be killed (1[1-9]|[2-9]\d)\d\d ms after the stop request/;

describe('a child that does not exit', () => {
  it.each([
    ['whose step never ends', 'never'],
    ['whose event loop is blocked', 'gate block'],
  ])('%s is killed after its maxWaitMs and named, with exit code 1', async (_, STOP) => {
    const processes = [{ name: 'job', file: 'job.js', env: { STOP }, maxWaitMs: 100 }];
    const fleet = await bed.up({ app: 'web.js', http: 1, processes });
    await fleet.kill('SIGTERM');
    if (STOP === 'gate block') (await bed.at('stop')).open();
    expect(await fleet.end()).toEqual(FAILED);
    expect(fleet.output).toMatch(KILLED);
    expect(fleet.lines(/^\[web#1\] all requests answered$/)).toHaveLength(1);
  });

  it('because it is frozen is killed too', async () => {
    const processes = [{ name: 'job', file: 'job.js', maxWaitMs: 100 }];
    const fleet = await bed.up({ app: 'web.js', http: 1, processes });
    signal((await fleet.pids()).get('job#1')!, 'SIGSTOP');
    await fleet.kill('SIGTERM');
    expect(await fleet.end()).toEqual(FAILED);
    expect(fleet.output).toMatch(KILLED);
    expect(fleet.lines(/^\[job#1\] stopping/)).toEqual([]);
  });

  it('while it boots is killed too', async () => {
    const processes = [{ name: 'job', file: 'job.js', env: { BOOT: 'gate never' }, maxWaitMs: 100 }];
    const fleet = bed.start({ processes });
    (await bed.at('boot')).open();
    await fleet.kill('SIGTERM');
    expect(await fleet.end()).toEqual(FAILED);
    expect(fleet.output).toMatch(KILLED);
  });

  it('is killed with all others at the overall timeout', async () => {
    const fleet = await bed.up({
      timeoutMs: 1_000,
      app: 'web.js',
      // Otherwise its own shutdown would time out a moment earlier.
      http: { count: 2, maxWaitMs: 60_000, env: { ROOST_TIMEOUT_MS: '60s' } },
      processes: [{ name: 'quick', file: 'job.js' }],
    });
    void get(await fleet.port(), '/gate').catch(() => undefined);
    const stuck = await bed.at('request');
    const from = performance.now();
    await fleet.kill('SIGTERM');
    expect(await fleet.end()).toEqual(FAILED);
    expect(performance.now() - from).toBeLessThan(3_000);
    expect(fleet.output).toMatch(
      new RegExp(
        `some children did not exit cleanly: ${stuck.who} \\(pid ${stuck.pid}\\) had to be killed \\d+ ms after`,
      ),
    );
    expect(fleet.lines(/quick#1 .*had to be/)).toEqual([]);
  });

  it('names its stuck work before it is killed if it runs a Nest application', async () => {
    const fleet = await bed.up({ app: 'nest-web.js', http: { count: 1, maxWaitMs: 300 } });
    void get(await fleet.port(), '/gate').catch(() => undefined);
    await bed.at('request');
    await fleet.kill('SIGTERM');
    expect(await fleet.end()).toEqual(FAILED);
    expect(fleet.output).toMatch(/\[web#1\] .*GET \/gate/);
    expect(fleet.output).toMatch(/web#1 \(pid \d+\) ended with exit code 1/);
  });
});
