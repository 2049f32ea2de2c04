import { InvalidWorkerOptionError } from '../errors/invalid-worker-option.error.js';
import { check } from '../option-checks.js';
import { CHILD_KEYS, type ChildOptions, type FileOptions } from './child-options.js';
import { cpuCount } from './cpu-count.js';

/** Options of the HTTP workers. @publicApi */
export interface HttpWorkerOptions extends Omit<ChildOptions, 'count'> {
  /** @default 'web' */
  name?: string;
  /** Number of workers. `'auto'` uses the env variable `ROOST_WORKERS`, or one per core. @default 'auto' */
  count?: number | 'auto';
}

/** Returns the HTTP workers as one program with a count, or nothing without an app. @throws InvalidWorkerOptionError */
export function resolveHttpWorkers(
  app: string | URL | undefined,
  http: number | 'auto' | HttpWorkerOptions,
  env: NodeJS.ProcessEnv,
): FileOptions[] {
  const options: HttpWorkerOptions = typeof http === 'object' ? http : { count: http };
  check.knownKeys(options, [...CHILD_KEYS, 'name'], 'http');
  if (app === undefined) {
    if (http === 'auto') return [];
    throw new InvalidWorkerOptionError('app', app, 'the file of the HTTP application, because http is set');
  }
  const { count = 'auto', name = 'web', ...rest } = options;
  return [{ ...rest, name, file: app, count: count === 'auto' ? countFromEnv(env) : count }];
}

const countFromEnv = (env: NodeJS.ProcessEnv): number =>
  check.fromEnv('ROOST_WORKERS', env, parseCount, 'a whole number >= 1, or "auto"') ?? cpuCount();

function parseCount(text: string): number | undefined {
  if (text === 'auto') return undefined;
  if (!/^[1-9]\d{0,3}$/.test(text)) throw new RangeError(`${text} is not a count`);
  return Number(text);
}
