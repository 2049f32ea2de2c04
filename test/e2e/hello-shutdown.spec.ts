import { AppProcess } from '../support/app-process.js';

afterEach(() => AppProcess.killAll());

const start = (): AppProcess => new AppProcess('apps/hello-shutdown/dist/main.js');

describe('apps/hello-shutdown', () => {
  it('prints its address and answers there', async () => {
    const app = start();
    const [, address = ''] = /(http:\S+)/.exec(await app.line(/^Listening on /))!;
    const response = await fetch(address);

    expect(await response.text()).toMatch(/^Hello!/);
    expect(response.status).toBe(200);
  });

  it.each(['SIGINT', 'SIGTERM'] as const)(
    'shows its tasks, the phases and a summary on %s, and exits 0',
    async (signal) => {
      const app = start();
      await app.line(/^Listening on /);
      app.kill(signal);

      expect(await app.end()).toEqual({ code: 0, signal: null });
      const lines = app.output.slice(app.output.indexOf('shutdown started')).split('\n');
      expect(lines).toEqual([
        `shutdown started: process-terminate (${signal}), at most 30 s`,
        `No more greetings: process-terminate (${signal}).`,
        expect.stringMatching(/phase service-unbind completed in .*, 1 task$/),
        'Journal flushed.',
        expect.stringMatching(/phase before-actor-system-terminate completed in .*, 1 task$/),
        'Journal closed.',
        expect.stringMatching(/shutdown completed in .*: process-terminate \(SIG\w+\), exit code 0$/),
        expect.stringMatching(/^ {2}service-unbind +completed .* 1 task$/),
        expect.stringMatching(/^ {2}before-actor-system-terminate +completed .* 1 task$/),
        '',
      ]);
    },
  );
});
