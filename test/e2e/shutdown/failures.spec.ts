import { Phase } from '@roost/shutdown';
import { AppProcess } from '../../support/app-process.js';
import type { Action, Plan } from './fixtures/plan.js';
import { FULL_ORDER, launch, launchReady, markers } from './launch.js';

afterEach(() => AppProcess.killAll());

const setups: Plan['setup'][] = ['enable', 'hooks', 'hooks-exit'];
const at = (point: string, action: Action) => ({ [point]: action });

/** Starts the program, sends SIGTERM and waits for its exit. */
async function terminated(plan: Plan): Promise<{ app: AppProcess; code: number | null }> {
  const app = await launchReady(plan);
  app.kill('SIGTERM');
  const { code, signal } = await app.end();
  expect(signal).toBeNull();
  return { app, code };
}

describe('Failing tasks', () => {
  it.each(setups)('a task that throws, "%s": runs the rest and exits 1', async (setup) => {
    const { app, code } = await terminated({ kind: 'express', setup, at: at('task', 'throw') });
    expect(code).toBe(1);
    expect(markers(app)).toEqual(FULL_ORDER);
    expect(app.output).toMatch(/drain failed: task failed/);
  });

  it.each([...setups, 'import'] as const)(
    'a task that hangs, "%s": times out its phase, runs the rest and exits as configured',
    async (setup) => {
      const options = { phases: { [Phase.ServiceRequestsDone]: { timeoutMs: 200 } }, exit: { onFailure: 7 } };
      const { app, code } = await terminated({ kind: 'fastify', setup, options, at: at('task', 'hang') });
      expect(code).toBe(7);
      expect(markers(app)).toEqual(setup === 'import' ? FULL_ORDER.slice(0, 2) : FULL_ORDER);
      expect(app.output).toMatch(/drain\s+timed-out/);
    },
  );

  it.each([...setups, 'import'] as const)(
    'a task that hangs, "%s": is named at the overall deadline, and the process exits 1',
    async (setup) => {
      const { app, code } = await terminated({
        kind: 'express',
        setup,
        options: { timeoutMs: 300 },
        at: at('task', 'hang'),
      });
      expect(code).toBe(1);
      expect(app.output).toMatch(
        /passed its overall deadline of 300 ms; still running:\n.*service-requests-done\/drain/,
      );
      expect(markers(app)).not.toContain('last-task');
    },
  );

  it('a failed phase with recover: false: skips later phases, runs Nest hooks and exits 1', async () => {
    const options = { phases: { [Phase.ServiceRequestsDone]: { recover: false } } };
    const { app, code } = await terminated({ kind: 'express', setup: 'enable', options, at: at('task', 'throw') });
    expect(code).toBe(1);
    expect(markers(app)).toEqual(FULL_ORDER.filter((marker) => marker !== 'last-task'));
    expect(app.output).toMatch(/shutdown aborted/);
  });

  it.each<{ kind: Plan['kind']; setup: Plan['setup']; action: Action }>([
    { kind: 'express', setup: 'enable', action: 'close' },
    { kind: 'context', setup: 'enable', action: 'close' },
    { kind: 'microservice', setup: 'enable', action: 'await-run' },
    { kind: 'express', setup: 'import', action: 'await-run' },
  ])('a task that awaits the shutdown ($action, $kind, "$setup"): fails instead of waiting', async (one) => {
    const { app, code } = await terminated({ ...one, at: at('task', one.action) });
    expect(code).toBe(1);
    expect(app.output).toMatch(/drain failed: .*awaits run\(\), terminated or app\.close\(\)/);
    expect(markers(app)).toContain('last-task');
  });
});

describe('Failing Nest hooks', () => {
  const hooks = ['onModuleDestroy', 'beforeApplicationShutdown', 'onApplicationShutdown'];

  it.each([
    ...hooks.map((hook) => ({ setup: 'enable' as const, hook })),
    { setup: 'hooks' as const, hook: 'onModuleDestroy' },
    { setup: 'hooks-exit' as const, hook: 'onApplicationShutdown' },
  ])('a $hook that throws, "$setup": runs the later hooks and exits 1', async ({ setup, hook }) => {
    const { app, code } = await terminated({ kind: 'express', setup, at: at(hook, 'throw') });
    expect(code).toBe(1);
    expect(markers(app)).toEqual(FULL_ORDER);
    expect(app.output).toMatch(new RegExp(`Worker\\.${hook}\\s+failed.*${hook} failed`));
  });

  it.each<{ kind: Plan['kind']; setup: Plan['setup']; hook: string }>([
    ...setups.map((setup) => ({ kind: 'express' as const, setup, hook: 'onModuleDestroy' })),
    { kind: 'fastify', setup: 'hooks', hook: 'onApplicationShutdown' },
    { kind: 'hybrid', setup: 'enable', hook: 'beforeApplicationShutdown' },
    { kind: 'microservice', setup: 'enable', hook: 'onModuleDestroy' },
    { kind: 'context', setup: 'enable', hook: 'onApplicationShutdown' },
  ])('a $hook that hangs ($kind, "$setup"): is named and cut off at the overall deadline', async (one) => {
    const { app, code } = await terminated({ ...one, options: { timeoutMs: 400 }, at: at(one.hook, 'hang') });
    expect(code).toBe(1);
    expect(app.output).toMatch(new RegExp(`overall deadline of 400 ms; still running:\\n.*Worker\\.${one.hook}`));
    expect(markers(app)).toEqual(FULL_ORDER.slice(0, FULL_ORDER.indexOf(one.hook) + 1));
  });
});

describe('The exit', () => {
  it('uses the code configured for the reason', async () => {
    const options = { exit: { reasons: { 'process-terminate': 42 } } };
    expect((await terminated({ kind: 'context', setup: 'enable', options })).code).toBe(42);
  });

  it.each<Plan['kind']>(['express', 'context'])('%s: does not happen with exit.process: false', async (kind) => {
    const app = await launchReady({ kind, setup: 'enable', options: { exit: { process: false } } });
    app.send('leak');
    app.kill('SIGTERM');
    await app.line(/shutdown completed/);
    expect(markers(app)).toEqual(FULL_ORDER);
    app.send('listeners');
    await app.line(/^listeners SIGTERM=0 SIGINT=0 .*exit=0/);
    app.kill('SIGTERM');
    expect(await app.end()).toEqual({ code: null, signal: 'SIGTERM' });
  });

  it.each(['run', 'close'])('happens after %s() with exit.process: true', async (command) => {
    const app = await launchReady({ kind: 'express', setup: 'enable', options: { exit: { process: true } } });
    app.send(command);
    expect(await app.end()).toEqual({ code: 0, signal: null });
    expect(markers(app)).toEqual(FULL_ORDER);
  });

  it('does not happen after run(), even if the deadline forces the end', async () => {
    const app = await launchReady({
      kind: 'express',
      setup: 'enable',
      options: { timeoutMs: 200 },
      at: at('task', 'hang'),
    });
    app.send('run');
    await app.line(/^terminated forced$/);
    app.send('listeners');
    await app.line(/^listeners SIGTERM=0/);
  });

  it.each(['leak', 'child'])('is not delayed by open handles (%s)', async (left) => {
    const app = await launchReady({ kind: 'express', setup: 'enable' });
    app.send(left);
    await app.line(/^(leaked|child )/);
    app.kill('SIGTERM');
    expect(await app.end()).toEqual({ code: 0, signal: null });
    const child = app.lines(/^child /)[0];
    if (child) process.kill(Number(child.slice(6)), 'SIGKILL');
  });
});

describe('Uncaught errors', () => {
  const uncaught = (plan: Partial<Plan> = {}): Plan => ({
    kind: 'express',
    setup: 'enable',
    options: { uncaught: true },
    ...plan,
  });

  it.each<{ command: string; setup: Plan['setup'] }>([
    { command: 'throw', setup: 'enable' },
    { command: 'reject', setup: 'enable' },
    { command: 'throw', setup: 'import' },
    { command: 'reject', setup: 'hooks' },
  ])('$command, "$setup": run the phases with the error as the reason, and exit 1', async ({ command, setup }) => {
    const app = await launchReady(uncaught({ setup }));
    app.send(`${command} boom`);
    expect(await app.end()).toEqual({ code: 1, signal: null });
    expect(app.lines(/^task /)).toEqual(['task uncaught-error (boom)']);
    expect(markers(app)).toEqual(setup === 'enable' ? FULL_ORDER : FULL_ORDER.slice(0, 2));
    expect(app.output).toMatch(/uncaught error: Error: boom\n\s+at /);
  });

  it.each(['throw', 'reject'])('exit at once on a second error (%s)', async (command) => {
    const app = await launchReady(uncaught({ at: at('task', 'gate') }));
    app.send('throw first');
    await app.line(/^at:task$/);
    app.send(`${command} second`);
    expect(await app.end()).toEqual({ code: 1, signal: null });
    expect(markers(app)).toEqual(['task']);
    expect(app.output).toMatch(/second/);
  });

  it('do not interrupt a shutdown started by a signal, but make it exit 1', async () => {
    const app = await launchReady(uncaught({ at: at('task', 'gate') }));
    app.kill('SIGTERM');
    await app.line(/^at:task$/);
    app.send('throw boom');
    await app.line(/uncaught error: Error: boom/);
    app.send('go');
    expect(await app.end()).toEqual({ code: 1, signal: null });
    expect(markers(app)).toEqual(FULL_ORDER);
  });

  it.each(['created', 'onModuleInit'])(
    'during boot (%s): tear down the application before it listens',
    async (point) => {
      const app = launch(uncaught({ at: at(point, 'gate') }));
      await app.line(new RegExp(`^at:${point}$`));
      app.send('throw boom');
      await app.line(/uncaught error: Error: boom/);
      app.send('go');
      expect(await app.end()).toEqual({ code: 1, signal: null });
      expect(markers(app).slice(-3)).toEqual(FULL_ORDER.slice(2));
      expect(app.lines(/^(port|listening)\b/)).toEqual([]);
    },
  );

  it('are left to Node by default', async () => {
    const app = await launchReady({ kind: 'express', setup: 'enable' });
    app.send('throw boom');
    expect(await app.end()).toEqual({ code: 1, signal: null });
    expect(markers(app)).toEqual([]);
  });
});

describe('Output of the process', () => {
  const FIVE_MB = 5 * 1024 * 1024;
  const written = (app: AppProcess) => app.lines(/^x{1023}$/).length * 1024;

  it.each<Plan['setup']>(['enable', 'hooks', 'import'])(
    '"%s": arrives completely, no matter how slowly it is read',
    async (setup) => {
      const app = await launchReady({ kind: 'express', setup, at: at('last-task', 'write-5-mb') });
      app.readSlowly(20);
      app.kill('SIGTERM');
      expect(await app.end()).toEqual({ code: 0, signal: null });
      expect(written(app)).toBe(FIVE_MB);
      expect(app.output).toMatch(/shutdown completed/);
    },
  );

  it("from 'exit' listeners arrives", async () => {
    const app = await launchReady({ kind: 'context', setup: 'enable', at: at('last-task', 'write-5-mb') });
    app.send('on-exit');
    await app.line(/^exit listener added$/);
    app.readSlowly(5);
    app.kill('SIGTERM');
    expect(await app.end()).toEqual({ code: 0, signal: null });
    expect(written(app)).toBe(FIVE_MB);
    expect(app.lines(/^last words /)).toHaveLength(100);
    expect(app.output).toMatch(/exit listener 0\n$/);
  });

  it.each<Plan['setup']>(['enable', 'hooks'])(
    '"%s": does not stop the shutdown when the reader has exited, as after Ctrl+C in a pipe to tee',
    async (setup) => {
      const app = await launchReady({ kind: 'express', setup, at: at('task', 'write-5-mb') });
      app.send('exit-to-stderr');
      await app.line(/^exit to stderr$/);
      app.closeOutput();
      app.kill('SIGINT');
      expect(await app.end()).toEqual({ code: 0, signal: null });
      expect(app.output).toMatch(/^hooks have run: true$/m);
    },
  );

  it('does not delay the exit forever when the reader is stuck', async () => {
    const app = await launchReady({ kind: 'context', setup: 'enable', at: at('last-task', 'write-5-mb') });
    app.readSlowly(60_000);
    app.kill('SIGTERM');
    expect(await app.exit()).toEqual({ code: 0, signal: null });
  });
});

it('enableCoordinatedShutdown without the module names the module to import', async () => {
  const app = launch({ kind: 'express', setup: 'enable', withoutModule: true });
  expect((await app.end()).code).toBe(1);
  expect(app.output).toMatch(/ShutdownModuleMissingError.*\n?.*CoordinatedShutdownModule\.forRoot\(\)/);
});
