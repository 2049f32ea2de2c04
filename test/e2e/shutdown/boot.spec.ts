import { createServer } from 'node:net';
import { AppProcess } from '../../support/app-process.js';
import { untilSecondPress } from '../../support/second-press.js';
import type { Plan } from './fixtures/plan.js';
import { launch, type LaunchOptions, launchReady, markers } from './launch.js';

afterEach(() => AppProcess.killAll());

const DESTROY = ['onModuleDestroy', 'beforeApplicationShutdown', 'onApplicationShutdown'];
const NEVER_LISTENS = /^(port|listening)\b/;
const kinds = ['express', 'fastify', 'hybrid', 'microservice', 'context'] as const;

interface BootCase extends LaunchOptions {
  at: string;
  kind: Plan['kind'];
  setup: Plan['setup'];
}

/**
 * Starts the program, waits until it reaches `at`, sends the signal, and lets the program continue once it has noticed.
 */
async function signalAt({ at, kind, setup, ...options }: BootCase, signal: NodeJS.Signals = 'SIGTERM') {
  const app = launch({ kind, setup, at: { [at]: 'gate' } }, options);
  await app.line(new RegExp(`^at:${at}$`));
  app.kill(signal);
  await app.line(/ during boot: |shutdown started/);
  app.send('go');
  return app;
}

describe('A signal during boot', () => {
  const enable = { kind: 'express', setup: 'enable', early: true } as const;

  // The points in order. Parts that were built by then are torn down; parts that were never built are not.
  it.each<BootCase>([
    { ...enable, at: 'load', preload: true },
    { ...enable, at: 'import' },
    { ...enable, at: 'evaluate' },
    { ...enable, at: 'factory' },
    { ...enable, at: 'created' },
    { ...enable, at: 'onModuleInit' },
    { ...enable, at: 'onApplicationBootstrap' },
    { ...enable, kind: 'hybrid', at: 'microservices' },
    ...kinds.flatMap((kind): BootCase[] => [
      { ...enable, kind, at: 'factory' },
      { ...enable, kind, at: 'created', early: false },
      { ...enable, kind, at: 'onModuleInit', early: false },
      { ...enable, kind, at: 'onApplicationBootstrap', early: false },
    ]),
  ])('$kind, at "$at" (early: $early): never listens, tears down, exits 0', async (one) => {
    const app = await signalAt(one);
    expect(await app.end()).toEqual({ code: 0, signal: null });
    expect(app.lines(NEVER_LISTENS)).toEqual([]);
    expect(markers(app, /during boot|shutdown started/).slice(-3)).toEqual(DESTROY);
    if (one.at.startsWith('on')) {
      // The boot was in progress, so it settles before the phases start.
      const boot = ['onModuleInit', 'onApplicationBootstrap'];
      expect(markers(app, /^before /)).toEqual([...boot, 'task', 'last-task', ...DESTROY]);
      expect(app.lines(/^task /)).toEqual(['task process-terminate (SIGTERM)']);
    }
  });

  it.each<BootCase & { signal: NodeJS.Signals }>([
    { kind: 'express', setup: 'hooks', at: 'factory', early: true, signal: 'SIGTERM' },
    { kind: 'express', setup: 'hooks', at: 'factory', early: true, signal: 'SIGINT' },
    { kind: 'express', setup: 'hooks', at: 'created', early: true, signal: 'SIGTERM' },
    { kind: 'express', setup: 'hooks', at: 'created', early: true, signal: 'SIGINT' },
    { kind: 'express', setup: 'hooks', at: 'onModuleInit', early: true, signal: 'SIGTERM' },
    { kind: 'express', setup: 'hooks', at: 'onModuleInit', early: false, signal: 'SIGINT' },
    { kind: 'express', setup: 'hooks', at: 'onApplicationBootstrap', early: false, signal: 'SIGTERM' },
    { kind: 'fastify', setup: 'hooks', at: 'onApplicationBootstrap', early: false, signal: 'SIGINT' },
    { kind: 'fastify', setup: 'hooks-exit', at: 'onModuleInit', early: false, signal: 'SIGTERM' },
    { kind: 'hybrid', setup: 'hooks', at: 'onApplicationBootstrap', early: false, signal: 'SIGTERM' },
  ])('$kind with "$setup", $signal at "$at" (early: $early): never listens, exits 0', async ({ signal, ...one }) => {
    const app = await signalAt(one, signal);
    expect(await app.end()).toEqual({ code: 0, signal: null });
    expect(app.lines(NEVER_LISTENS)).toEqual([]);
    const boot = ['onModuleInit', 'onApplicationBootstrap'];
    expect(markers(app, /^before /)).toEqual([...boot, 'task', 'last-task', ...DESTROY]);
  });

  it('right after listening is handled like any other', async () => {
    const app = launch({ kind: 'express', setup: 'enable', at: { listening: 'gate' } });
    await app.line(/^at:listening$/);
    app.kill('SIGTERM');
    expect(await app.end()).toEqual({ code: 0, signal: null });
    expect(markers(app, /^at:listening$/)).toEqual(['task', 'last-task', ...DESTROY]);
  });

  // The program does not pause here, so the signal arrives at an arbitrary point.
  it.each(['before', '.*Starting Nest', 'factory', 'created', 'onModuleInit', 'onApplicationBootstrap', 'port'])(
    'some time after "%s": exits 0, and tears down the parts that were built',
    async (line) => {
      const app = launch({ kind: 'fastify', setup: 'enable' }, { early: true });
      await app.line(new RegExp(`^${line}`));
      app.kill('SIGINT');
      expect(await app.end()).toEqual({ code: 0, signal: null });
      expect(markers(app, /^before /).slice(-3)).toEqual(DESTROY);
    },
  );

  it.each<BootCase>([
    { ...enable, at: 'load', preload: true },
    { ...enable, at: 'factory' },
    { ...enable, at: 'onModuleInit' },
    { kind: 'context', setup: 'import', at: 'onModuleInit' },
    { kind: 'express', setup: 'hooks', at: 'onModuleInit' },
  ])(
    'SIGINT twice, at "$at" of $kind with "$setup": exits at once with 130',
    async ({ at, kind, setup, ...options }) => {
      const app = launch({ kind, setup, at: { [at]: 'gate' } }, options);
      await app.line(new RegExp(`^at:${at}$`));
      app.kill('SIGINT');
      await app.line(/ during boot: /);
      await untilSecondPress();
      app.kill('SIGINT');
      expect(await app.end()).toEqual({ code: 130, signal: null });
    },
  );

  it.each<Plan['kind']>(['express', 'microservice', 'context'])(
    '%s: gives up on a boot that hangs after bootTimeoutMs',
    async (kind) => {
      const setup = kind === 'context' ? 'import' : 'enable';
      const options = { bootTimeoutMs: 300, timeoutMs: 1_000 };
      const app = launch({ kind, setup, options, at: { onModuleInit: 'hang' } });
      await app.line(/^onModuleInit$/);
      app.kill('SIGTERM');
      expect((await app.end()).signal).toBeNull();
      expect(app.output).toMatch(/the boot did not finish within 300 ms/);
      expect(markers(app, /did not finish/)).toContain('task');
      expect(app.lines(NEVER_LISTENS)).toEqual([]);
    },
  );
});

describe('A failed boot', () => {
  it.each<{ kind: Plan['kind']; at: string }>(
    (['express', 'fastify', 'microservice'] as const).flatMap((kind) => [
      { kind, at: 'onModuleInit' },
      { kind, at: 'onApplicationBootstrap' },
    ]),
  )('$kind, in $at: tears down the application and exits 1', async ({ kind, at }) => {
    const app = launch({ kind, setup: 'enable', at: { [at]: 'throw' } });
    expect(await app.end()).toEqual({ code: 1, signal: null });
    expect(markers(app, new RegExp(`^${at}$`)).slice(-5)).toEqual(['task', 'last-task', ...DESTROY]);
    expect(app.lines(/^task /)).toEqual([`task bootstrap-failed (${at} failed)`]);
    expect(app.output).toMatch(new RegExp(`Error: ${at} failed`));
  });

  it('does not exit 0 with exit.process: true', async () => {
    const options = { exit: { process: true } };
    const app = launch({ kind: 'express', setup: 'enable', options, at: { onModuleInit: 'throw' } });
    expect(await app.end()).toEqual({ code: 1, signal: null });
    expect(app.output).toMatch(/bootstrap-failed \(onModuleInit failed\), exit code 1/);
  });

  it.each<Plan['kind']>(['express', 'fastify', 'hybrid', 'microservice'])(
    '%s, with a port in use: tears down the application and exits 1',
    async (kind) => {
      const blocker = createServer().listen(0, '127.0.0.1');
      await new Promise((resolve) => blocker.once('listening', resolve));
      const { port } = blocker.address() as { port: number };
      try {
        const app = launch({ kind, setup: 'enable', port });
        expect(await app.end()).toEqual({ code: 1, signal: null });
        expect(app.output).toMatch(/EADDRINUSE/);
        expect(markers(app, /^created$/).slice(-3)).toEqual(DESTROY);
        expect(app.output).toMatch(/bootstrap-failed \(.*EADDRINUSE/);
      } finally {
        await new Promise((resolve) => blocker.close(resolve));
      }
    },
  );

  it.each(['onModuleInit', 'onApplicationBootstrap'])(
    'after a signal, in %s: tears down the application and logs the error',
    async (at) => {
      const other = at === 'onModuleInit' ? 'factory' : 'onModuleInit';
      const app = launch({ kind: 'express', setup: 'enable', at: { [other]: 'gate', [at]: 'throw' } }, { early: true });
      await app.line(new RegExp(`^at:${other}$`));
      app.kill('SIGTERM');
      await app.line(/ during boot: /);
      app.send('go');
      expect((await app.end()).signal).toBeNull();
      expect(markers(app, /during boot/).slice(-3)).toEqual(DESTROY);
      expect(app.lines(NEVER_LISTENS)).toEqual([]);
    },
  );

  it('is not affected by the early import without a signal', async () => {
    const app = await launchReady({ kind: 'express', setup: 'enable' }, { early: true });
    app.kill('SIGTERM');
    expect(await app.end()).toEqual({ code: 0, signal: null });
    expect(app.lines(/during boot/)).toEqual([]);
  });
});
