import { AppProcess } from '../../../support/app-process.js';
import type { Plan } from './fixtures/plan.js';
import type { WorkLog } from './work-log.js';

export const CLEAN = { code: 0, signal: null };
/** Matches the line that is logged once a second while the shutdown waits for background processes. */
export const WAITING = /waiting for service-requests-done\/finish-/;

/** Starts the program. */
export const start = (app: Plan['app'], log: WorkLog, env: Plan['env']): AppProcess => {
  const plan: Plan = { app, env: { WORK_LOG: log.path, ...env } };
  return new AppProcess('.tsout/test/e2e/workers/recipes/fixtures/main.js', { args: [JSON.stringify(plan)] });
};

/** Starts the program and waits until it is up. */
export const launch = async (...args: Parameters<typeof start>): Promise<AppProcess> => {
  const app = start(...args);
  await app.line(/^ready$/);
  return app;
};

/** Sends SIGTERM, and returns how the process ended and after how many ms. */
export const stop = async (app: AppProcess): Promise<{ code: number | null; tookMs: number }> => {
  const from = performance.now();
  app.kill('SIGTERM');
  const { code } = await app.exit();
  return { code, tookMs: performance.now() - from };
};

/** Time at which Nest closed the providers of the program. */
export const closedAt = (app: AppProcess): number => {
  const [line = ''] = app.lines(/ closed at \d+$/);
  return Number(/\d+$/.exec(line)![0]);
};
