import { stat } from 'node:fs/promises';
import { restartBackoff, readStatus } from '@roost/workers/core';
import { CLEAN, FAILED, signal } from './support/fleet-process.js';
import { get } from '../../../support/http-client.js';
import { TestBed } from './support/test-bed.js';
import { until } from '../../../support/until.js';

const bed = new TestBed();
const socket = (): string => `${bed.folder}/status.sock`;

describe('fleet status', () => {
  it('describes each child, through the program and the socket', async () => {
    const fleet = await bed.up({
      statusSocket: socket(),
      app: 'nest-web.js',
      http: 1,
      processes: [
        { name: 'job', file: 'job.js' },
        { name: 'blocked', file: 'job.js', env: { RUN: 'gate block' }, maxWaitMs: 100 },
      ],
      threads: [{ name: 'thread', file: 'job.js' }],
    });
    void get(await fleet.port(), '/gate').catch(() => undefined);
    const request = await bed.at('request');
    (await bed.at('run')).open();
    const isBlocked = async () => (await readStatus(socket())).children.some(({ responsive }) => responsive === false);
    await until('the block', isBlocked);

    const asked = await fleet.status();
    const read = await readStatus(socket());
    for (const status of [asked, read]) {
      expect(status).toEqual({
        pid: await fleet.pid(),
        state: 'running',
        uptimeMs: expect.any(Number),
        alive: 4,
        children: [
          {
            name: 'web#1',
            kind: 'http',
            state: 'running',
            pid: request.pid,
            ageMs: expect.any(Number),
            responsive: true,
            inFlight: 1,
            restarts: 0,
          },
          {
            name: 'job#1',
            kind: 'process',
            state: 'running',
            pid: expect.any(Number),
            ageMs: expect.any(Number),
            responsive: true,
            restarts: 0,
          },
          {
            name: 'blocked#1',
            kind: 'process',
            state: 'running',
            pid: expect.any(Number),
            ageMs: expect.any(Number),
            responsive: false,
            restarts: 0,
          },
          {
            name: 'thread#1',
            kind: 'thread',
            state: 'running',
            threadId: expect.any(Number),
            ageMs: expect.any(Number),
            responsive: true,
            restarts: 0,
          },
        ],
      });
      for (const { ageMs } of status.children) expect(ageMs).toBeLessThanOrEqual(status.uptimeMs);
    }
    expect(read.uptimeMs).toBeGreaterThan(asked.uptimeMs);
    expect(read.children[0]!.ageMs).toBeGreaterThan(asked.children[0]!.ageMs!);
    request.open();
    const isIdle = async () => (await readStatus(socket())).children[0]!.inFlight === 0;
    await until('the answer', isIdle);
    await fleet.kill('SIGTERM');
    expect(await fleet.end()).toEqual(FAILED);
  });

  it('counts the living children exactly, from the start through crashes and a rolling restart to the end', async () => {
    const restart = restartBackoff({ when: 'always', minMs: 300, jitter: 0, maxRestarts: 5 });
    const env = { BOOT: 'gate', STOP: 'gate' };
    const fleet = bed.start({
      statusSocket: socket(),
      restart,
      processes: [{ name: 'job', file: 'job.js', count: 2, env }],
    });
    const status = async () => {
      const { state, alive, children } = await readStatus(socket());
      return { state, alive, children: children.map((child) => child.state) };
    };
    const booting = [await bed.at('boot'), await bed.at('boot')];
    expect(await status()).toEqual({ state: 'starting', alive: 2, children: ['starting', 'starting'] });
    for (const one of booting) one.open();
    await fleet.line(/^all up$/);
    expect(await status()).toEqual({ state: 'running', alive: 2, children: ['running', 'running'] });

    const { pid, who } = booting[0]!;
    signal(pid, 'SIGKILL');
    await fleet.line(/restarting it/);
    const crashed = who === 'job#1' ? ['restarting', 'running'] : ['running', 'restarting'];
    expect(await status()).toEqual({ state: 'running', alive: 1, children: crashed });
    const again = await bed.at('boot');
    const starting = crashed.map((state) => state.replace('restarting', 'starting'));
    expect(await status()).toEqual({ state: 'running', alive: 2, children: starting });
    again.open();
    await fleet.count(/\) is up after/, 3);

    await fleet.kill('SIGHUP');
    const successor = await bed.at('boot');
    expect(await status()).toEqual({ state: 'rolling', alive: 3, children: ['running', 'starting', 'running'] });
    successor.open();
    const old = await bed.at('stop');
    expect(await status()).toEqual({ state: 'rolling', alive: 3, children: ['stopping', 'running', 'running'] });
    old.open();
    (await bed.at('boot')).open();
    (await bed.at('stop')).open();
    await fleet.line(/rolling restart completed/);
    expect(await status()).toEqual({ state: 'running', alive: 2, children: ['running', 'running'] });

    await fleet.kill('SIGTERM');
    const stopping = [await bed.at('stop'), await bed.at('stop')];
    expect(await status()).toEqual({ state: 'stopping', alive: 2, children: ['stopping', 'stopping'] });
    stopping.find((one) => one.who === 'job#1')!.open();
    await until('the end of job#1', async () => (await readStatus(socket())).alive === 1);
    expect(await status()).toEqual({ state: 'stopping', alive: 1, children: ['stopped', 'stopping'] });
    stopping.find((one) => one.who === 'job#2')!.open();
    expect(await fleet.end()).toEqual(CLEAN);
  });
});

describe('status socket', () => {
  it('is accessible to its user only, and is removed at the end', async () => {
    const fleet = await bed.up({ statusSocket: socket(), app: 'web.js', http: 1 });
    expect((await stat(socket())).mode & 0o777).toBe(0o600);
    await fleet.kill('SIGTERM');
    expect(await fleet.end()).toEqual(CLEAN);
    await expect(stat(socket())).rejects.toThrow('ENOENT');
    await expect(readStatus(socket())).rejects.toThrow(/did not answer: .*ENOENT.* Is the launcher running\?/);
  });

  it('answers many clients at once', async () => {
    const fleet = await bed.up({ statusSocket: socket(), app: 'web.js', http: 2 });
    const answers = await Promise.all(Array.from({ length: 50 }, () => readStatus(socket())));
    expect(answers.map(({ children }) => children.filter(({ responsive }) => responsive).length)).toEqual(
      Array.from({ length: 50 }, () => 2),
    );
    await fleet.kill('SIGTERM');
    expect(await fleet.end()).toEqual(CLEAN);
  });
});
