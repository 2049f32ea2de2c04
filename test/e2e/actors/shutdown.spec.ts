import { AppProcess } from '../../support/app-process.js';
import { untilSecondPress } from '../../support/second-press.js';
import { ActorsApp } from './actors-app.js';

const { jest } = import.meta;
jest.setTimeout(60_000);
afterEach(() => AppProcess.killAll());

const KINDS = ['express', 'fastify', 'microservice', 'context'] as const;
const HTTP = ['express', 'fastify'] as const;
const CARTS = 20;
const CLEAN = { code: 0, signal: null };

describe.each(KINDS)('actors in an application (%s)', (kind) => {
  it('handles every message or makes it a dead letter, delivers every PostStop and exits 0 on SIGTERM under load', async () => {
    const app = await ActorsApp.ready({ kind });
    app.process.send('load');
    await app.process.line(/^loading$/);
    if (kind !== 'microservice' && kind !== 'context') expect((await app.ask('/add')).status).toBe(200);

    app.process.kill('SIGTERM');

    expect(await app.process.end()).toEqual(CLEAN);
    const { sent, handled, dead, started, stopped, afterClose } = app.counts();
    expect(handled + dead).toBe(sent);
    expect(handled).toBeGreaterThanOrEqual(2_000);
    expect([started, stopped, afterClose]).toEqual([CARTS, CARTS, 0]);
    expect(app.process.lines(/all actors stopped in [\d.]+ m?s/)).toHaveLength(1);
    expect(app.process.lines(/^(history|database) closed$/)).toEqual(['history closed', 'database closed']);
  });

  it('works off a backlog that was sent before SIGTERM', async () => {
    const app = await ActorsApp.ready({ kind });
    app.process.send('burst 4000');
    await app.process.line(/^sent 4000$/);
    app.process.kill('SIGTERM');

    expect(await app.process.end()).toEqual(CLEAN);
    expect(app.counts()).toMatchObject({ sent: 4_000, handled: 4_000, dead: 0, afterClose: 0 });
  });

  it('names a handler that never settles, and exits without it', async () => {
    const app = await ActorsApp.ready({ kind, stuck: true });
    app.process.send('hang');
    await app.process.line(/^hanging$/);

    const began = Date.now();
    app.process.kill('SIGTERM');

    expect(await app.process.end()).toEqual({ code: 1, signal: null });
    expect(Date.now() - began).toBeLessThan(5_000);
    expect(app.process.output).toMatch(
      /1 actor was force-stopped in system "default".*stuck: \/user\/history \(Hang\)/,
    );
    expect(app.process.lines(/^(history|database) closed$/)).toEqual(['history closed', 'database closed']);
    expect(app.counts()).toMatchObject({ started: CARTS, stopped: CARTS });
  });

  it('exits at once with 130 on a second SIGINT', async () => {
    const app = await ActorsApp.ready({ kind, held: true });
    app.process.send('hang');
    await app.process.line(/^at:handler$/);
    app.process.kill('SIGINT');
    await app.process.line(
      /waiting for actor-system-terminate\/actor-system-terminate .*1 actor and \d+ messages? remaining/,
    );

    await untilSecondPress();
    app.process.kill('SIGINT');

    expect(await app.process.end()).toEqual({ code: 130, signal: null });
    expect(app.process.output).toContain('actor-system-terminate');
  });

  it('waits for a slow handler', async () => {
    const app = await ActorsApp.ready({ kind, held: true });
    app.process.send('hang');
    await app.process.line(/^at:handler$/);
    app.process.kill('SIGTERM');
    await app.process.line(/waiting for actor-system-terminate/);
    expect(app.process.lines(/^history closed$/)).toEqual([]);

    app.process.send('go');

    expect(await app.process.end()).toEqual(CLEAN);
    expect(app.process.lines(/^history closed$/)).toHaveLength(1);
  });

  it('runs the whole shutdown on ActorSystem.terminate()', async () => {
    const app = await ActorsApp.ready({ kind });

    app.process.send('terminate');
    await app.process.line(/^database closed$/);
    // A shutdown started by code does not exit the process.
    if (kind === 'context') app.process.kill('SIGKILL');
    else await app.process.end();

    expect(app.process.output).toContain('shutdown started: actor-system-terminate');
    expect(app.process.lines(/^(history|database) closed$/)).toEqual(['history closed', 'database closed']);
  });
});

describe.each(HTTP)('actors behind HTTP (%s)', (kind) => {
  it('answer requests', async () => {
    const app = await ActorsApp.ready({ kind });

    expect(await app.ask('/add')).toEqual({ status: 200, body: '{"sent":50}' });
    expect(await app.ask('/count')).toMatchObject({
      status: 200,
      body: expect.stringMatching(/"handled":\d+/) as string,
    });
  });
});

describe.each(KINDS)("actors with Nest's own shutdown hooks (%s)", (kind) => {
  it('loses no message without a trace on SIGTERM under load', async () => {
    const app = await ActorsApp.ready({ kind, coordinated: false });
    app.process.send('load');
    await app.process.line(/^loading$/);

    app.process.kill('SIGTERM');

    expect(await app.process.end()).toEqual(CLEAN);
    const { sent, handled, dead, started, stopped } = app.counts();
    expect(handled + dead).toBe(sent);
    expect([started, stopped]).toEqual([CARTS, CARTS]);
  });
});
