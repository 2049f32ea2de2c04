import { join } from 'node:path';
import { AppProcess, type AppProcessOptions } from '../../support/app-process.js';
import { ROOT } from '../../support/workspace.js';
import type { Plan } from './fixtures/plan.js';

/** Output folder of `tsc -b` for the programs of this folder. */
const FIXTURES = '.tsout/test/e2e/shutdown/fixtures';

export interface LaunchOptions extends AppProcessOptions {
  /** Whether to use `node --import @roost/shutdown/early`. */
  early?: boolean;
  /** Whether to preload a slow module after the early import. */
  preload?: boolean;
}

/** Starts the application, or several in one process. */
export const launch = (plan: Plan | Plan[], options: LaunchOptions = {}): AppProcess => {
  const { early, preload, ...rest } = options;
  const imports = [
    ...(early ? ['--import', '@roost/shutdown/early'] : []),
    ...(preload ? ['--import', join(ROOT, FIXTURES, 'preload.js')] : []),
  ];
  const args = [JSON.stringify([plan].flat())];
  return new AppProcess(`${FIXTURES}/app.js`, { args, nodeArgs: imports, ...rest });
};

/** Like `launch`, but waits until the application is up. */
export const launchReady = async (plan: Plan | Plan[], options?: LaunchOptions): Promise<AppProcess> => {
  const app = launch(plan, options);
  await app.line(/^all ready$/);
  return app;
};

const MARKERS =
  /^([ab]:)?(task|last-task|onModuleInit|onApplicationBootstrap|onModuleDestroy|beforeApplicationShutdown|onApplicationShutdown)\b/;

/** Returns the names of the tasks and Nest hooks that ran after `from`, in order. */
export const markers = (app: AppProcess, from = /^all ready$/): string[] => {
  const lines = app.output.split('\n');
  const start = lines.findIndex((line) => from.test(line)) + 1;
  return lines
    .slice(start)
    .filter((line) => MARKERS.test(line) && !line.endsWith('.done'))
    .map((line) => line.split(' ')[0]!);
};

/** The whole shutdown of the fixture application. */
export const FULL_ORDER = [
  'task',
  'last-task',
  'onModuleDestroy',
  'beforeApplicationShutdown',
  'onApplicationShutdown',
];
