import { AppProcess } from '../../../support/app-process.js';
import { until } from '../../../support/until.js';
import { CLEAN, launch, start, stop, WAITING } from './recipe-app.js';
import { WorkLog } from './work-log.js';

const { jest } = import.meta;
jest.setTimeout(60_000);

let log: WorkLog;
beforeEach(async () => {
  log = await WorkLog.create();
});
afterEach(async () => {
  await AppProcess.killAll();
  await log.remove();
});

const REPORT = /^report \d+$/;
const EVERY_SECOND = '* * * * * *';
const ONCE_A_YEAR = '0 0 1 1 *';
const env = (cron: string, pace: string | number): Record<string, string> => ({
  REPORT_CRON: cron,
  REPORT_PACE: JSON.stringify(pace),
});

describe('recipe for @nestjs/schedule', () => {
  it('SIGTERM: finishes the current page, does not start the next, exit code 0', async () => {
    const app = start('schedule', log, env(EVERY_SECOND, 'gate'));
    await app.line(/^at:report 1 page 1$/);

    app.kill('SIGTERM');
    expect(await app.line(WAITING)).toMatch(/report/);
    app.send('go');

    expect(await app.end()).toEqual(CLEAN);
    expect(log.lines).toEqual(['begin report 1 page 1', 'end report 1 page 1']);
    expect(app.lines(/^reports closed at /)).toHaveLength(1);
  });

  it('SIGTERM: starts no report while the shutdown waits for other work', async () => {
    const app = start('schedule', log, env(EVERY_SECOND, 0));
    await app.line(/^begin report 1 page 1$/);
    app.send('hold');
    await app.line(/^at:something else$/);

    app.kill('SIGTERM');
    await app.line(WAITING);
    const before = app.lines(REPORT);
    // The line is logged once a second, so at least one tick has been skipped by then.
    await until('three lines', () => app.lines(WAITING).length >= 3);
    expect(app.lines(REPORT)).toEqual(before);
    app.send('go');

    expect(await app.end()).toEqual(CLEAN);
  });

  it('SIGTERM while idle: exits immediately', async () => {
    const app = await launch('schedule', log, env(ONCE_A_YEAR, 0));
    const { code, tookMs } = await stop(app);
    expect(code).toBe(0);
    expect(tookMs).toBeLessThan(3_000);
  });

  it('names a stuck report with exit code 1', async () => {
    const app = start('schedule', log, { ...env(EVERY_SECOND, 'stuck'), ROOST_MAX_WAIT_MS: '500' });
    await app.line(/^begin report 1 page 1$/);

    app.kill('SIGTERM');

    expect((await app.end()).code).toBe(1);
    expect(app.output).toMatch(/finish-background-processes failed: Still running after .*: report: step 1\./);
    expect(log.lines).toEqual(['begin report 1 page 1']);
  });

  it('without the recipe: the current page is cut off', async () => {
    const app = start('naive-schedule', log, env(EVERY_SECOND, 'gate'));
    await app.line(/^at:report 1 page 1$/);

    expect(await stop(app)).toMatchObject({ code: 0 });

    expect(log.lines).toEqual(['begin report 1 page 1']);
  });
});
