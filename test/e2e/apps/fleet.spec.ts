import { rename, writeFile } from 'node:fs/promises';
import { Agent } from 'node:http';
import { join } from 'node:path';
import { AppProcess, type AppResult } from '../../support/app-process.js';
import { tempDir } from '../../support/temp-dir.js';
import { signal } from '../workers/launch/support/fleet-process.js';
import { until } from '../../support/until.js';
import { FleetApp, fleetEnv, statusCommand } from './fleet-app.js';
import { ProgramGroup } from '../workers/launch/support/program-group.js';

const { jest } = import.meta;
jest.setTimeout(30_000);

const CLEAN: AppResult = { code: 0, signal: null };
const FAILED: AppResult = { code: 1, signal: null };
const ONCE = { begun: 1, sent: 1 };

let dir: Awaited<ReturnType<typeof tempDir>>;
const makeDir = async (): Promise<void> => {
  dir = await tempDir();
};
const cleanUp = async (): Promise<void> => {
  await ProgramGroup.killAll();
  await dir.remove();
};

describe('a running fleet', () => {
  let fleet: FleetApp;
  beforeAll(async () => {
    await makeDir();
    fleet = await FleetApp.up(dir.path);
  });
  afterAll(cleanUp);

  it('answers from more than one process', async () => {
    const pids = new Set<number>();
    await until('both workers', async () => {
      pids.add((JSON.parse((await fleet.get('/')).body) as { pid: number }).pid);
      return pids.size === 2;
    });
    expect([...pids].sort()).toEqual([await fleet.pidOf('web#1'), await fleet.pidOf('web#2')].sort());
    expect((await fleet.get('/health/ready')).status).toBe(200);
  });

  it.each<[string, string, unknown]>([
    ['an empty mail', '/mails', {}],
    ['a mail with two lines', '/mails', { to: 'ann@example.com', subject: 'one\ntwo' }],
    ['a mail that is too long', '/mails', { to: 'ann@example.com', subject: 'x'.repeat(201) }],
    ['a mail to a number', '/mails', { to: 7, subject: 'x' }],
    ['a label without a parcel', '/labels', { to: 'ann' }],
    ['a label that is a list', '/labels', ['ann']],
  ])('rejects %s', async (_, path, body) => {
    expect((await fleet.post(path, body)).status).toBe(400);
  });

  it('sets a broken job aside and continues', async () => {
    await writeFile(join(dir.path, 'mails/offered/0-broken'), '{"to":');
    const id = await fleet.mail('after the broken one');
    await fleet.sent([id]);
    expect(await fleet.files('mails/failed')).toEqual(['0-broken']);
    await fleet.group.app.line(/mail 0-broken failed and was set aside: SyntaxError/);
  });

  it('replaces a killed consumer, and repeats its current job', async () => {
    const ids = await Promise.all(['a', 'b', 'c', 'd'].map((subject) => fleet.mail(subject)));
    const pid = await fleet.pidOf('mailer#1');
    const inHand = await until('a mail in hand', async () => {
      signal(pid, 'SIGSTOP');
      await until('a stand-still', () => fleet.group.processes().find((one) => one.pid === pid)?.state === 'T');
      const [claimed] = await fleet.files('mails/claimed');
      if (!claimed) signal(pid, 'SIGCONT');
      return claimed?.split('.')[0];
    });
    const before = fleet.deliveries(inHand);
    signal(pid, 'SIGKILL');
    await fleet.sent(ids);
    expect(fleet.deliveries(inHand).begun).toBe(before.begun + 1);
    for (const id of ids) if (id !== inHand) expect(fleet.deliveries(id)).toEqual(ONCE);
    await until('an empty spool', async () => (await fleet.files('mails/claimed')).length === 0);

    const { code, output } = await statusCommand(fleetEnv(dir.path));
    expect(code).toBe(0);
    expect(output).toMatch(new RegExp(`^fleet ${await fleet.group.pid()} is running, up \\d+ s$`, 'm'));
    expect(output).toMatch(/^name +pid +state +up +restarts +in flight +last failure$/m);
    expect(output).toMatch(/^mailer#1 +\d+ +running +\d+ s +1 +\d+ +SIGKILL/m);
    for (const name of ['web#1', 'web#2', 'labeler#1']) {
      expect(output).toMatch(new RegExp(`^${name} +${await fleet.pidOf(name)} +running +\\d+ s +0 +\\d+ +-$`, 'm'));
    }
  });

  it('loses no request in a rolling restart on SIGHUP, and runs every job once', async () => {
    const before = (await fleet.status()).children.map(({ pid }) => pid);
    const agent = new Agent({ keepAlive: true });
    const ids: string[] = [];
    let answered = 0;
    let isOver = false;
    const reader = async (): Promise<void> => {
      for (; !isOver; answered++) expect((await fleet.get('/', agent)).status).toBe(200);
    };
    // Two clients, so that a mail is always being sent.
    const writer = async (): Promise<void> => {
      while (!isOver) await fleet.sent([ids[ids.push(await fleet.mail('again', agent)) - 1]!]);
    };
    const clients = Promise.all([reader(), reader(), writer(), writer()]);
    await fleet.group.kill('SIGHUP');
    await Promise.race([fleet.group.app.line(/rolling restart completed/), clients]);
    isOver = true;
    await clients;
    agent.destroy();
    expect(answered).toBeGreaterThan(100);
    const after = (await fleet.status()).children.map(({ pid }) => pid);
    expect(after).toHaveLength(4);
    expect(after.filter((pid) => before.includes(pid))).toEqual([]);
    expect(ids.length).toBeGreaterThan(10);
    for (const id of ids) expect(fleet.deliveries(id)).toEqual(ONCE);
  });

  it('rejects jobs when too many are waiting', async () => {
    const job = JSON.stringify({ to: 'ann', parcel: '1' });
    const fill = async (name: string): Promise<void> => {
      await writeFile(join(dir.path, 'labels/drafts', name), job);
      await rename(join(dir.path, 'labels/drafts', name), join(dir.path, 'labels/offered', name));
    };
    await Promise.all(Array.from({ length: 1_020 }, (_, n) => fill(String(n))));
    expect((await fleet.post('/labels', { to: 'ann', parcel: '2' })).status).toBe(503);
  });
});

describe('a stopped fleet', () => {
  beforeEach(makeDir);
  afterEach(cleanUp);

  it('finishes the current job, and runs the others after the next start', async () => {
    const first = await FleetApp.up(dir.path);
    const ids: string[] = [];
    for (const subject of ['a', 'b', 'c', 'd', 'e', 'f']) ids.push(await first.mail(subject));
    await first.group.app.line(/Mailer\] mail .* to ann/);
    await first.group.kill('SIGTERM');
    expect(await first.group.end()).toEqual(CLEAN);
    const waiting = await first.files('mails/offered');
    expect(waiting.length).toBeGreaterThan(0);
    for (const id of ids) expect(first.deliveries(id)).toEqual(waiting.includes(id) ? { begun: 0, sent: 0 } : ONCE);
    expect(await first.files('mails/claimed')).toEqual([]);
    expect(await first.files('mails/drafts')).toEqual([]);

    const second = await FleetApp.up(dir.path);
    await second.sent(waiting);
    await second.group.killGroup('SIGINT');
    expect(await second.group.end()).toEqual(CLEAN);
    for (const id of ids) expect(second.deliveries(id)).toEqual(waiting.includes(id) ? ONCE : { begun: 0, sent: 0 });
    expect(await second.files('mails/offered')).toEqual([]);
  });

  it('is reported as not answering by the status command', async () => {
    const { code, output } = await statusCommand(fleetEnv(dir.path));
    expect(code).toBe(1);
    expect(output).toMatch(/^The status socket .*status\.sock did not answer: .*\n$/);
  });
});

describe('an invalid environment', () => {
  it.each(['main', 'web', 'status'])('is reported by %s.js in one line per fault', async (program) => {
    const env = { HOST: 'a b', PORT: 'abc', ROOST_WORKERS: '0', STATUS_SOCKET: `/tmp/${'x'.repeat(100)}` };
    const app = new AppProcess(`apps/fleet/dist/${program}.js`, { env });
    expect(await app.end()).toEqual(FAILED);
    expect(app.output.split('\n')).toEqual([
      'HOST is "a b": use an address such as 0.0.0.0.',
      'PORT is "abc": use a port from 0 (any free one) to 65535.',
      'ROOST_WORKERS is "0": use a number from 1 to 64, or auto for one per core.',
      expect.stringMatching(/^STATUS_SOCKET is "\/tmp\/x+": use an absolute path of at most 100 bytes/),
      '',
    ]);
  });
});
