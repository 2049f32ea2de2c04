import { mkdir, readFile, rename, stat, writeFile } from 'node:fs/promises';
import { restartBackoff, neverRestart } from '@roost/workers/core';
import { CLEAN, FAILED } from './support/fleet-process.js';
import { get } from '../../../support/http-client.js';
import { TestBed } from './support/test-bed.js';

const bed = new TestBed();

interface Refused {
  what: string;
  plan: object;
  env?: Record<string, string>;
  error: RegExp;
}

const job = { name: 'job', file: 'job.js' };
const INVALID = 'InvalidWorkerOptionError: ';

describe('launch() starts no child and rejects', () => {
  it.each<Refused>([
    { what: 'an empty fleet', plan: {}, error: /NothingToLaunchError: launch\(\) has nothing to start/ },
    {
      what: 'a missing program',
      plan: { app: 'missing.js' },
      error: new RegExp(`${INVALID}.*http\\.file \\(web\\).*/fixtures/missing\\.js does not exist`),
    },
    {
      what: 'two processes with the same name',
      plan: { processes: [job, job] },
      error: /DuplicateChildError: .*two processes or threads with the name "job"/,
    },
    {
      what: 'a thread with the name of a process',
      plan: { processes: [job], threads: [job] },
      error: /DuplicateChildError/,
    },
    ...[0, -1, 1.5, '2'].map((count) => ({
      what: `count ${JSON.stringify(count)}`,
      plan: { processes: [{ ...job, count }] },
      error: new RegExp(`${INVALID}.*processes\\[0\\]\\.count \\(job\\).*whole number`),
    })),
    { what: 'zero workers', plan: { app: 'web.js', http: 0 }, error: new RegExp(`${INVALID}.*http\\.count`) },
    { what: 'workers without an application', plan: { http: 2 }, error: new RegExp(`${INVALID}.*app`) },
    {
      what: 'an unknown option',
      plan: { app: 'web.js', timoutMs: 5 },
      error: new RegExp(`${INVALID}.*timoutMs. is set.*Valid options: .*timeoutMs`),
    },
    {
      what: 'an unknown option of a process',
      plan: { processes: [{ ...job, cuont: 2 }] },
      error: new RegExp(`${INVALID}.*processes\\[0\\]\\.cuont`),
    },
    ...['0', 'abc', '1.5', '-1'].map((ROOST_WORKERS) => ({
      what: `ROOST_WORKERS=${ROOST_WORKERS}`,
      plan: { app: 'web.js' },
      env: { ROOST_WORKERS },
      error: new RegExp(`${INVALID}.*ROOST_WORKERS.*${ROOST_WORKERS}.*whole number`),
    })),
    {
      what: 'ROOST_TIMEOUT_MS=abc',
      plan: { app: 'web.js' },
      env: { ROOST_TIMEOUT_MS: 'abc' },
      error: new RegExp(`${INVALID}.*ROOST_TIMEOUT_MS.*abc`),
    },
    {
      what: 'ROOST_MAX_WAIT_MS=0',
      plan: { app: 'web.js' },
      env: { ROOST_MAX_WAIT_MS: '0' },
      error: new RegExp(`${INVALID}.*ROOST_MAX_WAIT_MS.*0`),
    },
  ])('$what', async ({ plan, env, error }) => {
    const fleet = bed.start(plan, env ? { env } : {});
    expect(await fleet.end()).toEqual(FAILED);
    expect(fleet.output).toMatch(error);
    expect(fleet.output).not.toMatch(/\[primary\]|booting/);
  });
});

it('launch() in a child fails in that child, with advice', async () => {
  const inner = { name: 'inner', file: 'main.js', args: ['{"app":"web.js"}'], restart: neverRestart() };
  const fleet = bed.start({ processes: [inner] });
  expect(await fleet.end()).toEqual(FAILED);
  expect(fleet.output).toMatch(
    /inner#1 failed once, most recently with exit code 1:\n[^]*NestedLaunchError: launch\(\) was/,
  );
  expect(fleet.output).not.toMatch(/booting|\[inner#1\] \[primary\]/);
});

it('reports a program that disappears before its restart like any other failure', async () => {
  const file = `${bed.folder}/job.mjs`;
  await writeFile(file, 'process.on("message", () => process.exit(0)); setInterval(() => undefined, 1e6);');
  const restart = restartBackoff({ minMs: 10, maxRestarts: 1 });
  const fleet = bed.start({ bootTimeoutMs: 50, processes: [{ name: 'job', file, restart }] });
  await fleet.line(/job#1 \(pid \d+\) is not up after 50 ms\. A process is up when/);
  await rename(file, `${file}.gone`);
  const [child] = fleet
    .processes()
    .filter(({ command }) => command.includes('job.mjs') && !command.includes('main.js'));
  process.kill(child!.pid, 'SIGKILL');
  expect(await fleet.end()).toEqual(FAILED);
  expect(fleet.output).toMatch(
    /job#1 failed 2 times in a row, most recently with exit code 1:\n[^]*Cannot find module/,
  );
});

describe('status socket', () => {
  const socket = (): string => `${bed.folder}/status.sock`;
  const plan = () => ({ app: 'web.js', http: 1, statusSocket: socket() });

  it('is rejected if another launcher answers on it, which is not disturbed', async () => {
    const first = await bed.up(plan());
    const second = bed.start(plan());
    expect(await second.end()).toEqual(FAILED);
    expect(second.output).toMatch(/StatusSocketError: The status socket .*status\.sock is in use by another launcher/);
    expect(second.output).not.toMatch(/booting/);
    expect((await get(await first.port())).status).toBe(200);
    expect((await stat(socket())).isSocket()).toBe(true);
    await first.kill('SIGTERM');
    expect(await first.end()).toEqual(CLEAN);
  });

  it('replaces one that a killed launcher has left behind', async () => {
    const first = await bed.up(plan());
    await first.kill('SIGKILL');
    await first.gone();
    expect((await stat(socket())).isSocket()).toBe(true);
    const second = await bed.up(plan());
    await second.kill('SIGTERM');
    expect(await second.end()).toEqual(CLEAN);
    await expect(stat(socket())).rejects.toThrow('ENOENT');
  });

  it('is rejected in a missing folder', async () => {
    const fleet = bed.start({ ...plan(), statusSocket: `${bed.folder}/no/status.sock` });
    expect(await fleet.end()).toEqual(FAILED);
    expect(fleet.output).toMatch(/StatusSocketError: The status socket .* could not be opened: .*Choose another path/);
    expect(fleet.output).not.toMatch(/booting/);
  });

  it.each(['a file', 'a folder'])('is rejected in place of %s, which is left unchanged', async (what) => {
    await (what === 'a file' ? writeFile(socket(), 'precious') : mkdir(socket()));
    const fleet = bed.start(plan());
    expect(await fleet.end()).toEqual(FAILED);
    expect(fleet.output).toMatch(/StatusSocketError: The status socket .* could not be opened/);
    if (what === 'a file') expect(await readFile(socket(), 'utf8')).toBe('precious');
    else expect((await stat(socket())).isDirectory()).toBe(true);
  });

  it('is rejected with too long a path', async () => {
    const fleet = bed.start({ ...plan(), statusSocket: `${bed.folder}/${'x'.repeat(100)}` });
    expect(await fleet.end()).toEqual(FAILED);
    expect(fleet.output).toMatch(/InvalidWorkerOptionError: .*statusSocket.*at most 100 bytes/);
  });
});
