import type { Container } from './container.js';
import { exec, listFrom, signal } from './compose.js';
import { describeWithDocker } from './engine.js';
import { Load } from './load.js';
import { isReady, ReadyOnes } from './ready-ones.js';
import { Stack } from './stack.js';
import { until } from '../support/until.js';

const MAILS = 30;

const describeFleet = await describeWithDocker();

describeFleet('the fleet in a container', () => {
  let stack: Stack;
  let ready: ReadyOnes;
  let load: Load | undefined;

  const up = async (env: Record<string, string> = {}, args: string[] = []): Promise<Container[]> => {
    await stack.project.up(['fleet'], { env: { ROOST_WORKERS: '2', FLEET_PORT: '0', ...env }, args });
    const containers = await stack.project.containers('fleet');
    const urls = containers.map(({ url }) => url);
    ready.watch(urls);
    await until('all of the fleet', () => ready.count === containers.length, 60_000);
    // After a crash the last poll may be older than the crash, so ask again.
    await until('an answer of all', async () => (await Promise.all(urls.map(isReady))).every(Boolean), 60_000);
    return containers;
  };

  const visit = (): Load =>
    new Load(
      () => ready.next(),
      async (client) => void (await client.send('GET', '/')),
      4,
    );

  const expectServed = async (): Promise<void> => {
    await load!.stop();
    const { answers, lost, refused } = load!;
    expect({ statuses: Object.keys(answers), lost, refused }).toEqual({ statuses: ['200'], lost: [], refused: 0 });
  };

  beforeAll(async () => {
    stack = await Stack.start();
    ready = new ReadyOnes();
  }, 300_000);

  afterEach(() => load?.stop(), 60_000);

  afterAll(async () => {
    ready?.close();
    await stack?.stop();
  }, 60_000);

  it('loses no request of clients that follow readiness when another container replaces it under load', async () => {
    const [old] = await up({ ROOST_DRAIN_LAME_DUCK_MS: '2s' });
    load = visit();
    const both = await up({}, ['--scale', 'fleet=2', '--no-recreate']);
    expect(both).toHaveLength(2);
    const since = Date.now();
    await signal(old!, 'SIGTERM');
    const { what } = await stack.project.events.event(/^die/, { of: 'fleet', after: since });
    await expectServed();

    expect(what).toBe('die 0');
    expect(stack.project.events.since(since, 'fleet')).not.toContain('kill 9');
  }, 120_000);

  it('replaces its workers on SIGHUP under load without a failed request', async () => {
    const [fleet] = await up({ ROOST_DRAIN_LAME_DUCK_MS: '0' }, ['--scale', 'fleet=1']);
    const before = await pids(fleet!.url);
    load = visit();
    await signal(fleet!, 'SIGHUP');
    const isRolled = async (): Promise<boolean> =>
      (await stack.project.logs('fleet')).includes('rolling restart completed');
    await until('the rolling restart', isRolled, 60_000);
    await expectServed();

    const now = await pids(fleet!.url);
    expect(now.filter((pid) => before.includes(pid))).toEqual([]);
    expect(await stack.project.containers('fleet')).toMatchObject([{ status: 'running', id: fleet!.id }]);
  }, 120_000);

  it('is restarted by the engine after a crash, even after a SIGHUP', async () => {
    const [fleet] = await up();
    const since = Date.now();
    await signal(fleet!, 'SIGHUP');
    const status = await exec(fleet!, 'node', 'apps/fleet/dist/status.js');
    const primary = /^fleet (\d+) is/.exec(status)![1];
    await exec(fleet!, 'node', '-e', `process.kill(${primary}, 'SIGKILL')`);

    expect((await stack.project.events.event(/^die/, { of: 'fleet', after: since })).what).toBe('die 137');
    await stack.project.events.event('start', { of: 'fleet', after: since });
    expect(await up()).toMatchObject([{ id: fleet!.id, restarts: 1 }]);
  }, 120_000);

  it('finishes its current jobs on a stop, and keeps the others in the spool for the next start', async () => {
    const [fleet] = await up();
    const answers = await Promise.all(Array.from({ length: MAILS }, (_, n) => sendMail(fleet!.url, n)));
    const ids = answers.map(({ id }) => id);
    const sent = async (): Promise<string[]> =>
      [...(await stack.project.logs('fleet')).matchAll(/mail (\S+) sent/g)].map(([, id]) => id!);
    await until('the first mails', async () => (await sent()).length >= 3, 30_000);
    const since = Date.now();
    await stack.project.run('stop', 'fleet');

    const { what } = await stack.project.events.event(/^die/, { of: 'fleet', after: since });
    expect(what).toBe('die 0');
    expect(stack.project.events.since(since, 'fleet')).not.toContain('kill 9');
    const waiting = (await listFrom(fleet!, '/data/mails')).filter((path) => /\d-/.test(path));
    expect(waiting.filter((path) => !path.includes('offered/'))).toEqual([]);
    const left = waiting.map((path) => path.slice(path.lastIndexOf('/') + 1));
    expect([...(await sent()), ...left].sort()).toEqual([...ids].sort());
    await up();
    await until('the other mails', async () => (await sent()).length >= MAILS, 30_000);
    expect((await sent()).sort()).toEqual([...ids].sort());
  }, 120_000);
});

const sendMail = async (url: string, n: number): Promise<{ id: string }> => {
  const body = JSON.stringify({ to: 'ann@example.com', subject: `Number ${n}` });
  const headers = { 'content-type': 'application/json' };
  return (await (await fetch(`${url}/mails`, { method: 'POST', headers, body })).json()) as { id: string };
};

/** Returns the pids of both workers, which take turns. */
const pids = async (url: string): Promise<number[]> => {
  const found = new Set<number>();
  await until(
    'both workers',
    async () => {
      const response = await fetch(url, { headers: { connection: 'close' } });
      return found.add(((await response.json()) as { pid: number }).pid).size >= 2;
    },
    20_000,
  );
  return [...found];
};
