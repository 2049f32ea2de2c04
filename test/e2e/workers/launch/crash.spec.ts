import { restartBackoff } from '@roost/workers/core';
import { CLEAN, FAILED, signal } from './support/fleet-process.js';
import { get } from '../../../support/http-client.js';
import { whoAnswers } from './support/who-answers.js';
import { TestBed } from './support/test-bed.js';
import { until } from '../../../support/until.js';

const bed = new TestBed();

describe('a killed child', () => {
  it('is replaced after a delay while the others keep serving, and the status shows it', async () => {
    const restart = restartBackoff({ when: 'always', minMs: 4_000, jitter: 0, maxRestarts: 5 });
    const fleet = await bed.up({ app: 'web.js', http: 2, restart });
    const port = await fleet.port();
    const pids = await fleet.pids();
    const [killed, other] = [pids.get('web#1')!, pids.get('web#2')!];
    const from = performance.now();
    signal(killed, 'SIGKILL');
    await fleet.line(
      /^\[primary\] web#1 \(pid \d+\) ended with SIGKILL after .*: restarting it in 4 s \(restart 1 in a row\)$/,
    );
    expect(await whoAnswers(port, 2)).toEqual(new Set([other]));
    const meanwhile = await fleet.status();
    expect(meanwhile).toMatchObject({ state: 'running', alive: 1 });
    expect(meanwhile.children[0]).toEqual({
      name: 'web#1',
      kind: 'http',
      state: 'restarting',
      restarts: 1,
      lastFailure: 'SIGKILL',
    });
    expect(await fleet.zombies()).toEqual([]);

    await fleet.count(/listening on/, 3);
    expect(performance.now() - from).toBeGreaterThan(3_990);
    const answering = await whoAnswers(port, 2);
    expect(answering.size).toBe(2);
    expect(answering.has(other)).toBe(true);
    const { alive, children } = await fleet.status();
    expect(alive).toBe(2);
    expect(children).toMatchObject([
      { name: 'web#1', state: 'running', restarts: 1, lastFailure: 'SIGKILL' },
      { name: 'web#2', state: 'running', restarts: 0, pid: other },
    ]);
    expect(answering.has(children[0]!.pid!)).toBe(true);
    await fleet.kill('SIGTERM');
    expect(await fleet.end()).toEqual(CLEAN);
  });

  it('does not delay the exit on SIGTERM while it waits for its restart', async () => {
    const restart = restartBackoff({ when: 'always', minMs: 60_000, maxMs: 60_000, maxRestarts: 5 });
    const fleet = await bed.up({ app: 'web.js', http: 2, restart });
    signal((await fleet.pids()).get('web#2')!, 'SIGKILL');
    await fleet.line(/web#2 .* restarting it in /);
    await fleet.kill('SIGTERM');
    expect(await fleet.end()).toEqual(CLEAN);
    expect(fleet.lines(/listening on/)).toHaveLength(2);
  });

  it('is not replaced during the shutdown: the others finish, it is named, and the exit code is 1', async () => {
    const fleet = await bed.up({
      app: 'web.js',
      http: 2,
      processes: [{ name: 'job', file: 'job.js', env: { STOP: 'gate' } }],
    });
    const answer = get(await fleet.port(), '/gate');
    const request = await bed.at('request');
    await fleet.kill('SIGTERM');
    const step = await bed.at('stop');
    signal(step.pid, 'SIGKILL');
    await until('its end', () => fleet.processes().every(({ pid }) => pid !== step.pid));
    request.open();
    expect((await answer).status).toBe(200);
    expect(await fleet.end()).toEqual(FAILED);
    expect(fleet.output).toMatch(
      new RegExp(`some children did not exit cleanly: job#1 \\(pid ${step.pid}\\) ended with SIGKILL\\b`),
    );
    expect(fleet.lines(/job#1\] booting/)).toHaveLength(1);
    expect(fleet.lines(/all requests answered/)).toHaveLength(2);
  });

  it('names a child that exits with a code other than 0 during the shutdown, and exits with 1', async () => {
    const processes = [{ name: 'job', file: 'job.js', env: { STOP: 'fail' } }];
    const fleet = await bed.up({ app: 'web.js', http: 1, processes });
    await fleet.kill('SIGTERM');
    expect(await fleet.end()).toEqual(FAILED);
    expect(fleet.output).toMatch(/some children did not exit cleanly: job#1 \(pid \d+\) ended with exit code 1/);
    expect(fleet.output).not.toMatch(/web#1 \(pid \d+\) ended with/);
  });
});

describe('a child that cannot boot', () => {
  const restart = restartBackoff({ when: 'always', minMs: 10, maxRestarts: 2 });

  it('makes the primary stop the others and log the child, the reason and the number of failures', async () => {
    const fleet = bed.start({
      app: 'web.js',
      http: 1,
      restart,
      processes: [{ name: 'broken', file: 'job.js', env: { BOOT: 'gate fail' } }],
    });
    const answer = get(await fleet.port(), '/gate');
    const request = await bed.at('request');
    for (let n = 0; n < 3; n++) (await bed.at('boot')).open();
    await fleet.line(/^\[primary\] broken#1 failed 3 times in a row, most recently with exit code 1:$/);
    await fleet.line(/^\[web#1\] stopping: /);
    request.open();
    expect((await answer).status).toBe(200);
    expect(await fleet.end()).toEqual(FAILED);
    expect(fleet.lines(/^\[broken#1\] booting$/)).toHaveLength(3);
    expect(fleet.lines(/all requests answered/)).toHaveLength(1);
    const [, words] = /most recently with exit code 1:\n([^]*?)\nGiving up and stopping the other children\.$/m.exec(
      fleet.output,
    )!;
    expect(words).toMatch(/BOOT fails on purpose/);
    expect(fleet.lines(/shutdown (started|completed).*crash-loop/)).not.toEqual([]);
    expect(fleet.lines(/^all up$/)).toEqual([]);
  });

  it('is reported with the error of Nest when it is a Nest module', async () => {
    const fleet = bed.start({
      restart,
      processes: [{ name: 'consumer', module: 'ConsumerModule', env: { BOOT: 'fail' } }],
    });
    expect(await fleet.end()).toEqual(FAILED);
    expect(fleet.output).toMatch(
      /consumer#1 failed 3 times in a row, most recently with exit code 1:\n[^]*BOOT fails on purpose/,
    );
    expect(fleet.lines(/consumer runs/)).toEqual([]);
  });

  it('gives up on a worker that dies right after it starts to listen', async () => {
    const fleet = bed.start({ app: 'web.js', http: { count: 2, env: { RUN: 'exit3' } }, restart });
    expect(await fleet.end()).toEqual(FAILED);
    expect(fleet.output).toMatch(/web#\d failed 3 times in a row, most recently with exit code 3/);
  });
});
