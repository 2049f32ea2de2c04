import { AppProcess } from '../../support/app-process.js';

afterEach(() => AppProcess.killAll());

const TASKS = (reason: string) => [`task service-unbind ${reason}`, `task actor-system-terminate ${reason}`];

describe('CoordinatedShutdown without Nest', () => {
  const start = (...args: string[]) => new AppProcess('.tsout/test/e2e/shutdown/fixtures/core.js', { args });

  it.each<NodeJS.Signals>(['SIGTERM', 'SIGINT'])('runs the phases on %s and exits 0', async (signal) => {
    const app = start();
    await app.line(/^ready SIGTERM=1 SIGINT=1$/);
    app.kill(signal);
    expect(await app.end()).toEqual({ code: 0, signal: null });
    expect(app.lines(/^task/)).toEqual(TASKS(`process-terminate (${signal})`));
  });

  it('does not exit the process after run(), and removes its listeners', async () => {
    const app = start();
    await app.line(/^ready/);
    app.send('run');
    await app.line(/^done SIGTERM=0 SIGINT=0$/);
    expect(app.lines(/^task/)).toEqual(TASKS('unknown'));
    app.kill('SIGTERM');
    expect(await app.end()).toEqual({ code: null, signal: 'SIGTERM' });
  });

  it('lets signals kill the process again after removeProcessHooks()', async () => {
    const app = start();
    await app.line(/^ready/);
    app.send('remove');
    await app.line(/^removed SIGTERM=0 SIGINT=0$/);
    app.kill('SIGINT');
    expect(await app.end()).toEqual({ code: null, signal: 'SIGINT' });
    expect(app.lines(/^task/)).toEqual([]);
  });

  it('handles a signal that arrived before the hooks were installed', async () => {
    const app = start('early');
    await app.line(/^at:boot$/);
    app.kill('SIGTERM');
    await app.line(/SIGTERM during boot/);
    app.send('go');
    expect(await app.end()).toEqual({ code: 0, signal: null });
    expect(app.lines(/^task/)).toEqual(TASKS('process-terminate (SIGTERM)'));
  });

  it('exits when no shutdown takes over the signal within bootTimeoutMs', async () => {
    const app = start('early');
    await app.line(/^at:boot$/);
    app.kill('SIGTERM');
    expect(await app.end()).toEqual({ code: 143, signal: null });
    expect(app.output).toMatch(/did not start within 400 ms after SIGTERM: exiting/);
  });
});
