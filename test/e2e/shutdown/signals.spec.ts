import { AppProcess, isAlive } from '../../support/app-process.js';
import { untilSecondPress } from '../../support/second-press.js';
import type { Plan } from './fixtures/plan.js';
import { FULL_ORDER, launchReady, markers } from './launch.js';

afterEach(() => AppProcess.killAll());

const slowTask = (plan: Partial<Plan> = {}): Plan => ({
  kind: 'express',
  setup: 'enable',
  at: { task: 'gate' },
  ...plan,
});

describe('A second signal', () => {
  it.each<{ setup: Plan['setup']; first: NodeJS.Signals }>([
    { setup: 'enable', first: 'SIGINT' },
    { setup: 'hooks', first: 'SIGINT' },
    { setup: 'import', first: 'SIGINT' },
    { setup: 'enable', first: 'SIGTERM' },
    { setup: 'hooks', first: 'SIGTERM' },
  ])('$first, then SIGINT with "$setup": exits at once with 130 and kills the children', async ({ setup, first }) => {
    const app = await launchReady(slowTask({ setup }));
    app.send('child');
    const child = Number((await app.line(/^child /)).slice(6));
    app.kill(first);
    await app.line(/^at:task$/);
    expect(isAlive(child)).toBe(true);
    await untilSecondPress();
    app.kill('SIGINT');
    expect(await app.end()).toEqual({ code: 130, signal: null });
    expect(app.output).toMatch(/second signal SIGINT: exiting now with code 130.*\n.*service-requests-done\/drain/);
    expect(markers(app)).toEqual(['task']);
    await expectGone(child);
  });

  it.each<Plan['setup']>(['enable', 'hooks', 'hooks-exit', 'import'])(
    'SIGTERM again with "%s": is logged and ignored',
    async (setup) => {
      const app = await launchReady(slowTask({ setup }));
      app.kill('SIGTERM');
      await app.line(/^at:task$/);
      app.kill('SIGTERM');
      await app.line(/SIGTERM again: ignored/);
      app.send('go');
      expect(await app.end()).toEqual({ code: 0, signal: null });
      expect(markers(app)).toEqual(setup === 'import' ? FULL_ORDER.slice(0, 2) : FULL_ORDER);
    },
  );

  it('SIGINT forwarded at once by a runner: counts as the same Ctrl+C and cuts nothing off', async () => {
    const app = await launchReady(slowTask());
    app.kill('SIGINT');
    await app.line(/^at:task$/);
    app.kill('SIGINT');
    app.send('go');
    expect(await app.end()).toEqual({ code: 0, signal: null });
    expect(markers(app)).toEqual(FULL_ORDER);
  });

  it('SIGTERM again: exits with 143 if configured, and SIGINT is then ignored', async () => {
    const secondSignal = { SIGTERM: 'exit', SIGINT: 'ignore' } as const;
    const app = await launchReady(slowTask({ options: { secondSignal } }));
    app.kill('SIGINT');
    await app.line(/^at:task$/);
    app.kill('SIGINT');
    await app.line(/SIGINT again: ignored/);
    app.kill('SIGTERM');
    expect(await app.end()).toEqual({ code: 143, signal: null });
  });

  it('SIGINT after the phases, during a Nest hook: exits and names the hook', async () => {
    const app = await launchReady(slowTask({ at: { onModuleDestroy: 'gate' } }));
    app.kill('SIGINT');
    await app.line(/^at:onModuleDestroy$/);
    await untilSecondPress();
    app.kill('SIGINT');
    expect(await app.end()).toEqual({ code: 130, signal: null });
    expect(app.output).toMatch(/still running:\n.*Worker\.onModuleDestroy/);
  });
});

describe('Other signals and listeners', () => {
  it('SIGUSR2 kills the process, as it does by default', async () => {
    const app = await launchReady({ kind: 'express', setup: 'enable' });
    app.kill('SIGUSR2');
    expect(await app.end()).toEqual({ code: null, signal: 'SIGUSR2' });
    expect(markers(app)).toEqual([]);
  });

  it('a SIGHUP listener of the program still works', async () => {
    const app = await launchReady({ kind: 'express', setup: 'enable' });
    app.send('own-listener SIGHUP');
    await app.line(/^listening to SIGHUP$/);
    app.kill('SIGHUP');
    await app.line(/^own SIGHUP$/);
    expect(markers(app)).toEqual([]);
    app.kill('SIGTERM');
    expect(await app.end()).toEqual({ code: 0, signal: null });
  });

  it('the program may add its own SIGTERM listener', async () => {
    const app = await launchReady({ kind: 'express', setup: 'enable' });
    app.send('own-listener SIGTERM');
    await app.line(/^listening to SIGTERM$/);
    app.kill('SIGTERM');
    expect(await app.end()).toEqual({ code: 0, signal: null });
    expect(app.lines(/^own SIGTERM$/)).toHaveLength(1);
    expect(markers(app)).toEqual(FULL_ORDER);
  });

  it.each<Plan['kind']>(['express', 'fastify'])(
    '%s: the program may close the application itself on SIGTERM',
    async (kind) => {
      const app = await launchReady({ kind, setup: 'import' });
      app.send('close-on SIGTERM');
      await app.line(/^closes on SIGTERM$/);
      app.kill('SIGTERM');
      expect(await app.end()).toEqual({ code: 0, signal: null });
      expect(markers(app)).toEqual(FULL_ORDER);
      expect(app.lines(/^task /)).toEqual(['task process-terminate (SIGTERM)']);
    },
  );

  it('only the configured signals start a shutdown', async () => {
    const app = await launchReady({ kind: 'express', setup: 'enable', options: { signals: ['SIGUSR2'] } });
    app.kill('SIGUSR2');
    expect(await app.end()).toEqual({ code: 0, signal: null });
    expect(app.lines(/^task /)).toEqual(['task process-terminate (SIGUSR2)']);

    const other = await launchReady({ kind: 'express', setup: 'enable', options: { signals: ['SIGUSR2'] } });
    other.kill('SIGTERM');
    expect(await other.end()).toEqual({ code: null, signal: 'SIGTERM' });
    expect(markers(other)).toEqual([]);
  });

  it('a process that is paused and resumed during the shutdown ends normally', async () => {
    const app = await launchReady(slowTask());
    app.kill('SIGTERM');
    await app.line(/^at:task$/);
    app.kill('SIGSTOP');
    app.send('go');
    app.kill('SIGCONT');
    expect(await app.end()).toEqual({ code: 0, signal: null });
    expect(markers(app)).toEqual(FULL_ORDER);
  });
});

describe('Two applications in one process', () => {
  const both = (setup: Plan['setup'], ...kinds: [Plan['kind'], Plan['kind']]): Plan[] => [
    { name: 'a', kind: kinds[0], setup },
    { name: 'b', kind: kinds[1], setup, at: { task: 'gate' } },
  ];
  const orderOf = (name: string) => FULL_ORDER.map((marker) => `${name}:${marker}`);

  it.each<{ plans: Plan[]; signal: NodeJS.Signals }>([
    { plans: both('enable', 'express', 'fastify'), signal: 'SIGTERM' },
    { plans: both('enable', 'context', 'microservice'), signal: 'SIGINT' },
    { plans: both('hooks', 'express', 'fastify'), signal: 'SIGTERM' },
    { plans: both('hooks', 'fastify', 'express'), signal: 'SIGINT' },
  ])('$plans.0.kind and $plans.1.kind, "$plans.0.setup": $signal ends both before the exit', async (one) => {
    const app = await launchReady(one.plans);
    app.kill(one.signal);
    await app.line(/^at:task$/);
    await app.line(/^a:onApplicationShutdown/);
    app.send('listeners');
    await app.line(/^listeners /);
    app.send('go');
    expect(await app.end()).toEqual({ code: 0, signal: null });
    expect(markers(app).filter((marker) => marker.startsWith('a:'))).toEqual(orderOf('a'));
    expect(markers(app).filter((marker) => marker.startsWith('b:'))).toEqual(orderOf('b'));
  });

  it('closing one keeps the other running, with its signal listeners', async () => {
    const app = await launchReady(both('enable', 'express', 'context'));
    app.send('a:close');
    await app.line(/^a:closed .*SIGTERM=1 SIGINT=1/);
    expect(markers(app)).toEqual(orderOf('a'));
    app.kill('SIGTERM');
    await app.line(/^at:task$/);
    app.send('go');
    expect(await app.end()).toEqual({ code: 0, signal: null });
    expect(markers(app)).toEqual([...orderOf('a'), ...orderOf('b')]);
  });
});

/** A killed process takes a moment to disappear. */
async function expectGone(pid: number): Promise<void> {
  const deadline = Date.now() + 3_000;
  while (isAlive(pid) && Date.now() < deadline) await new Promise(setImmediate);
  const alive = isAlive(pid);
  if (alive) process.kill(pid, 'SIGKILL');
  expect(alive).toBe(false);
}
