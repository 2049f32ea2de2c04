import { createConnection } from 'node:net';
import { AppProcess } from '../../support/app-process.js';
import type { Plan } from './fixtures/plan.js';
import { FULL_ORDER, launchReady, markers } from './launch.js';

afterEach(() => AppProcess.killAll());

const NO_HOOKS = FULL_ORDER.slice(0, 2);

const refused = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = createConnection(port, '127.0.0.1', () => {
      socket.destroy();
      resolve(false);
    });
    socket.once('error', () => resolve(true));
  });

describe('Order of phases and Nest hooks', () => {
  const kinds = (setup: Plan['setup'], ...list: Plan['kind'][]) => list.map((kind) => ({ kind, setup }));

  const all: Plan[] = [
    ...kinds('enable', 'express', 'fastify', 'hybrid', 'microservice', 'context'),
    ...kinds('hooks', 'express', 'fastify', 'hybrid'),
    ...kinds('hooks-exit', 'express', 'fastify'),
    ...kinds('both', 'express', 'microservice', 'context'),
  ];
  const cases = all.map((plan, index) => ({ plan, signal: index % 2 === 0 ? 'SIGTERM' : 'SIGINT' }) as const);

  it.each(cases)('$plan.kind with "$plan.setup" on $signal: phases, then hooks, exits 0', async ({ plan, signal }) => {
    const app = await launchReady(plan);
    app.kill(signal);
    expect(await app.end()).toEqual({ code: 0, signal: null });
    expect(markers(app)).toEqual(FULL_ORDER);
    expect(app.lines(/^task /)).toEqual([`task process-terminate (${signal})`]);
  });

  it.each(kinds('import', 'express', 'fastify', 'microservice', 'context'))(
    '$kind with only the import: runs the phases, reports the missing hooks, exits 0',
    async (plan) => {
      const app = await launchReady(plan);
      app.kill('SIGTERM');
      expect(await app.end()).toEqual({ code: 0, signal: null });
      expect(markers(app)).toEqual(NO_HOOKS);
      expect(app.output).toMatch(/nothing closed the Nest application.*enableCoordinatedShutdown\(app\)/);
    },
  );

  it('with only the import: does not wait for an unrelated signal listener', async () => {
    const app = await launchReady({ kind: 'express', setup: 'import', options: { defaultPhaseTimeoutMs: 200 } });
    app.send('own-listener SIGTERM');
    await app.line(/^listening to SIGTERM$/);
    app.kill('SIGTERM');
    expect(await app.end()).toEqual({ code: 0, signal: null });
    expect(markers(app)).toEqual(NO_HOOKS);
    expect(app.output).toMatch(/nothing closed the Nest application/);
  });

  it.each(kinds('hooks', 'microservice', 'context'))(
    '$kind with "hooks": runs everything, and reports the wrong order',
    async (plan) => {
      const app = await launchReady(plan);
      app.kill('SIGTERM');
      expect(await app.end()).toEqual({ code: 0, signal: null });
      expect(markers(app).sort()).toEqual([...FULL_ORDER].sort());
      expect(app.output).toMatch(/Nest called shutdown hooks before the phases.*enableCoordinatedShutdown\(app\)/);
    },
  );

  it.each([
    ...kinds('enable', 'express', 'fastify', 'hybrid', 'microservice', 'context'),
    ...kinds('import', 'express', 'fastify'),
    ...kinds('hooks', 'express'),
  ])('$kind with "$setup" on app.close(): phases, then hooks, and the process continues', async (plan) => {
    const app = await launchReady(plan);
    app.send('leak');
    app.send('close');
    const closed = await app.line(/^closed /);
    expect(markers(app)).toEqual(FULL_ORDER);
    expect(app.lines(/^task /)).toEqual(['task application-close']);
    expect(closed.replace('closed', '')).toBe((await app.line(/^before /)).replace('before', ''));
    app.send('listeners');
    await app.line(/^listeners /);
    app.kill('SIGTERM');
    expect(await app.end()).toEqual({ code: null, signal: 'SIGTERM' });
  });

  it.each(kinds('enable', 'express', 'microservice', 'context'))(
    '$kind: run() from code closes the application and does not exit the process',
    async (plan) => {
      const app = await launchReady(plan);
      app.send('leak');
      app.send('run');
      await app.line(/^terminated completed$/);
      expect(markers(app)).toEqual(FULL_ORDER);
      expect(app.output).toMatch(/^last-task\n(.*\n)*run completed\n(.*\n)*onApplicationShutdown/m);
      app.send('listeners');
      await app.line(/^listeners SIGTERM=0 SIGINT=0/);
    },
  );

  it.each(kinds('enable', 'express', 'fastify', 'hybrid'))(
    '$kind: a controller answers 202 and runs the shutdown without awaiting it',
    async (plan) => {
      const app = await launchReady(plan);
      const port = Number((await app.line(/^port /)).slice(5));
      const response = await fetch(`http://127.0.0.1:${port}/stop`, {
        method: 'POST',
        headers: { connection: 'close' },
      });
      expect(response.status).toBe(202);
      expect(await response.text()).toBe('stopping');
      await app.line(/shutdown completed in .*admin-endpoint/);
      expect(markers(app)).toEqual(FULL_ORDER);
      expect(app.lines(/^task /)).toEqual(['task admin-endpoint']);
      expect(await refused(port)).toBe(true);
    },
  );
});
