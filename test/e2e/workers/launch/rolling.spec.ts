import { rm, writeFile } from 'node:fs/promises';
import { openClient } from '../../drain/clients/open-client.js';
import { hammer, type LoadOptions, Tally } from '../../drain/load.js';
import { CLEAN, type FleetProcess, signal } from './support/fleet-process.js';
import { get } from '../../../support/http-client.js';
import { whoAnswers } from './support/who-answers.js';
import { TestBed } from './support/test-bed.js';
import { until } from '../../../support/until.js';

const bed = new TestBed();

const COMPLETED = /^\[primary\] rolling restart completed in /;
const GIVEN_UP = /^\[primary\] rolling restart aborted after /;

/** Runs clients with keep-alive connections and long pauses, with short pauses, and with one connection per request. */
function putUnderLoad(port: number): { tallies: Record<string, Tally>; stop: () => Promise<void> } {
  const end = new AbortController();
  const endpoint = { host: '127.0.0.1', port, scheme: 'http' } as const;
  const tallies = { thinking: new Tally(), busy: new Tally(), fresh: new Tally() };
  const clients = (count: number, kind: keyof typeof tallies, options: Partial<LoadOptions>) =>
    Array.from({ length: count }, () =>
      hammer({ endpoint, tally: tallies[kind], path: () => '/', stop: end.signal, ...options }),
    );
  const load = [
    ...clients(6, 'thinking', { pause: () => Math.random() * 300 }),
    ...clients(2, 'busy', { pause: () => 1 }),
    ...clients(3, 'fresh', { pause: () => 2, fresh: true }),
  ];
  const stop = async (): Promise<void> => {
    end.abort();
    await Promise.all(load);
  };
  return { tallies, stop };
}

/** Records the largest number of concurrent children until the returned function is called. */
function watchNumber(fleet: FleetProcess): () => number {
  let most = 0;
  const timer = setInterval(() => (most = Math.max(most, fleet.processes().length - 1)), 15);
  return () => {
    clearInterval(timer);
    return most;
  };
}

const expectAllServed = (tallies: Record<string, Tally>): void => {
  for (const [kind, { lost, refused, byStatus, answered }] of Object.entries(tallies)) {
    expect({ kind, lost, refused, statuses: [...byStatus.keys()] }).toEqual({
      kind,
      lost: [],
      refused: [],
      statuses: [200],
    });
    expect(answered).toBeGreaterThan(20);
  }
};

describe('rolling restart', () => {
  it.each(['express', 'fastify'])(
    'replaces all %s children under load, one at a time, without losing a request',
    async (ADAPTER) => {
      const http = { count: 2, env: { ADAPTER } };
      const fleet = await bed.up({ app: 'nest-web.js', http, processes: [{ name: 'job', file: 'job.js' }] });
      const port = await fleet.port();
      const before = await fleet.pids();
      const { tallies, stop } = putUnderLoad(port);
      const most = watchNumber(fleet);
      await fleet.kill('SIGHUP');
      await fleet.line(COMPLETED);
      expect(most()).toBe(4);
      await stop();
      expectAllServed(tallies);

      const { state, alive, children } = await fleet.status();
      expect({ state, alive }).toEqual({ state: 'running', alive: 3 });
      expect(children.map(({ name, restarts }) => ({ name, restarts }))).toEqual([
        { name: 'web#1', restarts: 0 },
        { name: 'web#2', restarts: 0 },
        { name: 'job#1', restarts: 0 },
      ]);
      const after = await fleet.pids();
      for (const [name, pid] of before) expect(after.get(name)).not.toBe(pid);
      expect(await whoAnswers(port, 2)).toEqual(new Set([after.get('web#1'), after.get('web#2')]));
      expect(fleet.lines(/^\[job#1\] stopping: process-replaced/)).toHaveLength(1);
      expect(fleet.lines(/restarting it/)).toEqual([]);
      await fleet.kill('SIGTERM');
      expect(await fleet.end()).toEqual(CLEAN);
    },
  );

  it('lets the predecessor answer a slow request, and replaces no other child until then', async () => {
    const fleet = await bed.up({ app: 'nest-web.js', http: 1, processes: [{ name: 'job', file: 'job.js' }] });
    const port = await fleet.port();
    const answer = get(port, '/gate');
    const request = await bed.at('request');
    await fleet.kill('SIGHUP');
    await fleet.line(/^\[web#1\] .*stopped accepting new work/);
    const [successor] = await whoAnswers(port, 1);
    expect(successor).not.toBe(request.pid);
    const { alive, children } = await fleet.status();
    expect(alive).toBe(3);
    expect(children).toMatchObject([
      { name: 'web#1', state: 'stopping', pid: request.pid, inFlight: 1 },
      { name: 'web#1', state: 'running', pid: successor, inFlight: 0 },
      { name: 'job#1', state: 'running' },
    ]);
    expect(fleet.lines(/^\[job#1\] stopping/)).toEqual([]);
    request.open();
    expect(await answer).toEqual({ status: 200, body: String(request.pid) });
    await fleet.line(COMPLETED);
    await fleet.kill('SIGTERM');
    expect(await fleet.end()).toEqual(CLEAN);
  });

  it('lets the predecessor answer a slow request on a connection that was already open', async () => {
    const fleet = await bed.up({ app: 'nest-web.js', http: 1 });
    const port = await fleet.port();
    const client = await openClient({ host: '127.0.0.1', port, scheme: 'http' });
    const { body: pid } = await client.get('/');
    await fleet.kill('SIGHUP');
    await fleet.line(/^\[web#1\] .*stopped accepting new work/);
    const { answer } = client.begin('GET', '/gate');
    const request = await bed.at('request');
    expect(String(request.pid)).toBe(pid);
    await fleet.line(/waiting for service-requests-done.*1 in flight, oldest GET \/gate/);
    request.open();
    expect(await answer).toMatchObject({ status: 200, body: pid });
    expect(await client.closed).toBe('end');
    await fleet.line(COMPLETED);
    await fleet.kill('SIGTERM');
    expect(await fleet.end()).toEqual(CLEAN);
  });

  it('queues one more restart when it is requested again during a restart, however often', async () => {
    const fleet = bed.start({ processes: [{ name: 'job', file: 'job.js', env: { BOOT: 'gate' } }] });
    (await bed.at('boot')).open();
    await fleet.line(/^all up$/);
    await fleet.kill('SIGHUP');
    const successor = await bed.at('boot');
    for (let n = 0; n < 3; n++) {
      await fleet.kill('SIGHUP');
      expect((await fleet.status()).state).toBe('rolling');
    }
    successor.open();
    (await bed.at('boot')).open();
    await fleet.count(COMPLETED, 2);
    expect((await fleet.status()).state).toBe('running');
    await fleet.kill('SIGTERM');
    expect(await fleet.end()).toEqual(CLEAN);
    expect(fleet.lines(COMPLETED)).toHaveLength(2);
    expect(fleet.lines(/booting/)).toHaveLength(3);
  });

  it('resolves fleet.restart() when it is complete', async () => {
    const fleet = await bed.up({ app: 'web.js', http: 1 });
    fleet.app.send('restart');
    await fleet.line(/^restarted$/);
    expect(fleet.lines(COMPLETED)).toHaveLength(1);
    await fleet.kill('SIGTERM');
    expect(await fleet.end()).toEqual(CLEAN);
  });

  it.each(['boot', 'stop'])(
    'stops all children, including the newest, on SIGTERM in the middle of it (%s)',
    async (point) => {
      const env = { BOOT: 'gate', STOP: 'gate' };
      const fleet = bed.start({ processes: [{ name: 'job', file: 'job.js', count: 2, env }] });
      for (let n = 0; n < 2; n++) (await bed.at('boot')).open();
      await fleet.line(/^all up$/);
      await fleet.kill('SIGHUP');
      const successor = await bed.at('boot');
      if (point === 'stop') {
        successor.open();
        await fleet.line(/stopping: process-replaced/);
      }
      expect(fleet.processes()).toHaveLength(4);
      await fleet.kill('SIGTERM');
      await fleet.line(/shutdown started: process-terminate/);
      if (point === 'boot') {
        await fleet.line(/SIGTERM during boot/);
        successor.open();
      }
      for (let n = 0; n < 3; n++) (await bed.at('stop')).open();
      expect(await fleet.end()).toEqual(CLEAN);
      expect(fleet.lines(COMPLETED)).toEqual([]);
      expect(fleet.lines(/booting/)).toHaveLength(3);
    },
  );

  it('replaces a worker that is killed during it, and continues', async () => {
    const fleet = await bed.up({ processes: [{ name: 'job', file: 'job.js', count: 2, env: { STOP: 'gate' } }] });
    await fleet.kill('SIGHUP');
    const old = await bed.at('stop');
    signal(old.pid, 'SIGKILL');
    (await bed.at('stop')).open();
    await fleet.line(COMPLETED);
    expect(fleet.output).toMatch(new RegExp(`job#1 \\(pid ${old.pid}\\) ended with SIGKILL`));
    expect((await fleet.status()).alive).toBe(2);
    await fleet.kill('SIGTERM');
    for (let n = 0; n < 2; n++) (await bed.at('stop')).open();
    expect(await fleet.end()).toEqual(CLEAN);
  });
});

describe('rolling restart to a new version', () => {
  const badVersion = (): string => `${bed.folder}/bad-version`;

  it.each(['web.js', 'nest-web.js'])(
    'is aborted when the version does not boot (%s), and the old children keep serving',
    async (app) => {
      const env = { BOOT: 'failIfBad', BAD_VERSION: badVersion() };
      const fleet = await bed.up({ app, http: { count: 2, env } });
      const port = await fleet.port();
      const before = await fleet.pids();
      await writeFile(badVersion(), '');
      await fleet.kill('SIGHUP');
      await fleet.line(GIVEN_UP);
      await fleet.line(/^The remaining children keep running the old version\.$/);
      expect(fleet.output).toMatch(
        /aborted after .*: web#1 \(pid \d+\) ended with exit code 1 before it took over:\n[^]*BOOT: this version is bad[^]*\nThe remaining children keep running the old version\./,
      );
      expect(await fleet.pids()).toEqual(before);
      expect(await whoAnswers(port, 2)).toEqual(new Set(before.values()));
      expect(await fleet.zombies()).toEqual([]);
      await fleet.kill('SIGTERM');
      expect(await fleet.end()).toEqual(CLEAN);
    },
  );

  it('is aborted after bootTimeoutMs when the version never comes up, and kills it', async () => {
    const env = { BOOT: 'neverIfBad', BAD_VERSION: badVersion() };
    const fleet = await bed.up({ app: 'web.js', http: { count: 2, env }, bootTimeoutMs: 2_000 });
    const before = await fleet.pids();
    await writeFile(badVersion(), '');
    await fleet.kill('SIGHUP');
    await fleet.line(GIVEN_UP);
    expect(fleet.output).toMatch(/aborted after .*: web#1 \(pid \d+\) was not up within 2 s/);
    await until('the end of the successor', () => fleet.processes().length === 3);
    expect(await fleet.pids()).toEqual(before);
    await fleet.kill('SIGTERM');
    expect(await fleet.end()).toEqual(CLEAN);
  });

  it('succeeds with a good version after a bad one', async () => {
    const env = { BOOT: 'failIfBad', BAD_VERSION: badVersion() };
    const fleet = await bed.up({ processes: [{ name: 'job', file: 'job.js', env }] });
    await writeFile(badVersion(), '');
    await fleet.kill('SIGHUP');
    await fleet.line(GIVEN_UP);
    await rm(badVersion());
    await fleet.kill('SIGHUP');
    await fleet.line(COMPLETED);
    await fleet.kill('SIGTERM');
    expect(await fleet.end()).toEqual(CLEAN);
  });
});
