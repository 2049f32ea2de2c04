import { restartBackoff, neverRestart } from '@roost/workers/core';
import { CLEAN, FAILED } from './support/fleet-process.js';
import { whoAnswers } from './support/who-answers.js';
import { TestBed } from './support/test-bed.js';

const bed = new TestBed();

describe('launch()', () => {
  it('starts modules, programs and workers in the given numbers, each with its environment', async () => {
    const fleet = await bed.up(
      {
        app: 'web.js',
        http: { name: 'api', count: 2, env: { RUN: 'tell' } },
        maxWaitMs: 7_000,
        processes: [
          { name: 'consumer', module: 'ConsumerModule', count: 2, env: { RUN: 'gate', TASTE: 'salt' } },
          { name: 'job', file: 'job.js', env: { RUN: 'tell' }, maxWaitMs: 2_000 },
          { name: 'own', file: 'job.js', env: { RUN: 'tell', ROOST_MAX_WAIT_MS: '3s' } },
        ],
      },
      { env: { TASTE: 'nothing', RUN: 'tell' } },
    );
    expect(fleet.lines(/^\[consumer#[12]\] consumer runs with salt$/)).toHaveLength(2);
    await fleet.count(/ knows /, 4);
    expect(fleet.lines(/ knows /).sort()).toEqual([
      '[api#1] api#1 knows 7000 and 7000',
      '[api#2] api#2 knows 7000 and 7000',
      '[job#1] job#1 knows 2000 and 2000',
      '[own#1] own#1 knows 3s and 7000',
    ]);
    expect([...(await fleet.pids()).keys()]).toEqual(['api#1', 'api#2', 'consumer#1', 'consumer#2', 'job#1', 'own#1']);
    expect(new Set((await fleet.pids()).values()).size).toBe(6);

    await fleet.kill('SIGTERM');
    await fleet.line(/ 2 of 6 children still running: consumer#1 .*, consumer#2 /);
    for (let n = 0; n < 2; n++) (await bed.at('run')).open();
    expect(await fleet.end()).toEqual(CLEAN);
    expect(fleet.lines(/^\[consumer#[12]\] consumer has ended$/)).toHaveLength(2);
  });

  it('starts ROOST_WORKERS workers that share a port', async () => {
    const fleet = await bed.up({ app: 'web.js' }, { env: { ROOST_WORKERS: '3' } });
    const pids = await fleet.pids();
    expect([...pids.keys()]).toEqual(['web#1', 'web#2', 'web#3']);
    expect(await whoAnswers(await fleet.port(), 3)).toEqual(new Set(pids.values()));
    await fleet.kill('SIGTERM');
    expect(await fleet.end()).toEqual(CLEAN);
  });

  it('uses ROOST_TIMEOUT_MS for the whole shutdown, and gives children a part of it', async () => {
    const fleet = await bed.up(
      { processes: [{ name: 'job', file: 'job.js', env: { STOP: 'never' } }] },
      { env: { ROOST_TIMEOUT_MS: '4s' } },
    );
    await fleet.kill('SIGTERM');
    await fleet.line(/^\[primary\] shutdown started: .*, at most 4 s$/);
    await fleet.line(/^\[job#1\] .*shutdown started: .*, at most 3 s$/);
    expect(await fleet.end()).toEqual(FAILED);
    expect(fleet.lines(/^\[job#1\] .*the shutdown passed its overall deadline of 3 s/)).toHaveLength(1);
    expect(fleet.output).toMatch(/job#1 \(pid \d+\) ended with exit code 1/);
  });

  it('treats a second stop by the program like a signal', async () => {
    const fleet = await bed.up({ app: 'web.js', http: 1 });
    fleet.app.send('stop');
    expect(await fleet.end()).toEqual(CLEAN);
    expect(fleet.lines(/all requests answered/)).toHaveLength(1);
  });
});

describe('a process that exits on its own', () => {
  const whenFailed = restartBackoff({ when: 'failure', minMs: 10, maxRestarts: 2 });

  it('with 0 and restart "failure" is done, and the primary exits with 0 when all are done', async () => {
    const fleet = await bed.up({
      processes: [
        { name: 'first', file: 'job.js', env: { RUN: 'gate exit0' }, restart: whenFailed },
        { name: 'second', file: 'script.js', env: { RUN: 'gate' }, restart: neverRestart() },
      ],
    });
    const [one, two] = [await bed.at('run'), await bed.at('run')];
    one.open();
    await fleet.line(/^\[primary\] (first|second)#1 \(pid \d+\) ended with exit code 0 after .*: its work is done$/);
    const { alive, children } = await fleet.status();
    expect(alive).toBe(1);
    expect(children.map(({ state }) => state).sort()).toEqual(['running', 'stopped']);
    two.open();
    expect(await fleet.end()).toEqual(CLEAN);
    expect(fleet.lines(/: its work is done$/)).toHaveLength(2);
    expect(fleet.lines(/shutdown completed.*fleet-done.*exit code 0/)).toHaveLength(1);
  });

  it('with another code and restart "failure" is restarted, and may then be done', async () => {
    const fleet = await bed.up({
      processes: [
        { name: 'job', file: 'job.js', env: { RUN: 'gate exit0or3', FAILURES: bed.folder }, restart: whenFailed },
      ],
    });
    for (let n = 0; n < 3; n++) (await bed.at('run')).open();
    expect(await fleet.end()).toEqual(CLEAN);
    expect(fleet.lines(/ended with exit code 3 .*restarting it/)).toHaveLength(2);
    expect(fleet.lines(/its work is done/)).toHaveLength(1);
  });

  it('without ever being up does not block launch() when it is done', async () => {
    const fleet = await bed.up({
      app: 'web.js',
      http: 1,
      processes: [{ name: 'migration', file: 'job.js', env: { BOOT: 'exit0' }, restart: whenFailed }],
    });
    expect((await fleet.status()).children).toMatchObject([
      { name: 'web#1', state: 'running' },
      { name: 'migration#1', state: 'stopped' },
    ]);
    await fleet.kill('SIGTERM');
    expect(await fleet.end()).toEqual(CLEAN);
  });

  it('with 0 and restart "always" is restarted', async () => {
    const restart = restartBackoff({ when: 'always', minMs: 10, maxRestarts: 5 });
    const fleet = await bed.up({ processes: [{ name: 'job', file: 'job.js', env: { RUN: 'gate exit0' }, restart }] });
    (await bed.at('run')).open();
    const { pid } = await bed.at('run');
    expect((await fleet.status()).children).toMatchObject([{ state: 'running', pid, restarts: 1 }]);
    await fleet.kill('SIGTERM');
    expect(await fleet.end()).toEqual(CLEAN);
  });

  it('with another code and neverRestart() stops the fleet with exit code 1', async () => {
    const processes = [{ name: 'job', file: 'job.js', env: { RUN: 'gate exit3' }, restart: neverRestart() }];
    const fleet = await bed.up({ app: 'web.js', http: 1, processes });
    (await bed.at('run')).open();
    expect(await fleet.end()).toEqual(FAILED);
    expect(fleet.lines(/job#1 failed once, most recently with exit code 3/)).not.toEqual([]);
    expect(fleet.lines(/all requests answered/)).toHaveLength(1);
  });
});
