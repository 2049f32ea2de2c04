import { existsSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { consoleLogger, guardedLogger, type RoostLogger, withoutUndefined } from '@roost/kernel';
import { type Clock, systemClock } from '@roost/time';
import { DuplicateChildError } from '../errors/duplicate-child.error.js';
import { InvalidWorkerOptionError } from '../errors/invalid-worker-option.error.js';
import { NothingToLaunchError } from '../errors/nothing-to-launch.error.js';
import { assertWorkerName, check, durationFromEnv } from '../option-checks.js';
import { assertRestartPolicy, restartBackoff, type RestartPolicy } from '../restart-policy.js';
import { cpuCount } from './cpu-count.js';

/** What can be set for each kind of child. @publicApi */
export interface ChildOptions {
  /** How many of it. @default 1 */
  count?: number;
  /** Added to the environment of the launcher. @default {} */
  env?: Readonly<Record<string, string>>;
  /** What becomes of one that ends without being asked to. @default `restart` of the launcher */
  restart?: RestartPolicy;
  /**
   * How long one may take to finish what it has in hand when it is told to stop. It is given to the application as
   * `ROOST_MAX_WAIT_MS` and `ROOST_DRAIN_MAX_WAIT_MS`; a second later the child is killed. @default `maxWaitMs` of the launcher
   */
  maxWaitMs?: number;
}

/** @publicApi */
export interface HttpWorkerOptions extends Omit<ChildOptions, 'count'> {
  /** @default 'web' */
  name?: string;
  /** `'auto'`: env `ROOST_WORKERS`, or one for each core. @default 'auto' */
  count?: number | 'auto';
}

/** @publicApi */
export interface FileOptions extends ChildOptions {
  /** For logs, the status and errors. No two may have the same. */
  name: string;
  /** The program. A relative path is taken from the folder of the script that was started. */
  file: string | URL;
  /** @default [] */
  args?: readonly string[];
}

/** @publicApi */
export interface FleetOptions {
  /** The program of the HTTP workers, which share its port. @default none */
  app?: string | URL;
  /** How many HTTP workers, or more about them. @default 'auto' */
  http?: number | 'auto' | HttpWorkerOptions;
  /** Background processes, each an OS process of its own. @default [] */
  processes?: readonly FileOptions[];
  /** Worker threads of the primary. @default [] */
  threads?: readonly FileOptions[];
  /**
   * For the whole shutdown; who is left then is killed and named, and the exit code is 1. Children get a second less for
   * theirs, as `ROOST_TIMEOUT_MS`. Env: `ROOST_TIMEOUT_MS`. @default 30_000
   */
  timeoutMs?: number;
  /** For each child that has no `maxWaitMs` of its own. Env: `ROOST_MAX_WAIT_MS`. @default what the application has set, `timeoutMs` at most */
  maxWaitMs?: number;
  /** How long a child may take to come up before it is reported, and in a rolling restart given up. @default 30_000 */
  bootTimeoutMs?: number;
  /** @default restartBackoff({ when: 'always', maxRestarts: 5, maxMs: 10_000, resetAfterMs: 30_000 }) */
  restart?: RestartPolicy;
  /** Path of a local socket that answers with the status; only the user of the launcher can open it. @default none */
  statusSocket?: string;
  /** Whether lines that children print begin with their name. `false`: they print for themselves. @default true */
  prefixLogs?: boolean;
  /** Of the primary. @default lines on the console that begin with `[primary]` */
  logger?: RoostLogger;
  /** @default `systemClock` */
  clock?: Clock;
}

interface Spec {
  readonly name: string;
  readonly file: string;
  readonly args: readonly string[];
  readonly count: number;
  readonly env: Readonly<Record<string, string>>;
  readonly restart: RestartPolicy;
  readonly maxWaitMs: number;
}
export type ProcessSpec = Spec & { readonly kind: 'http' | 'process' };
export type ThreadSpec = Spec & { readonly kind: 'thread' };
export type ChildSpec = ProcessSpec | ThreadSpec;

export interface ResolvedFleetOptions {
  readonly specs: readonly ChildSpec[];
  readonly timeoutMs: number;
  readonly bootTimeoutMs: number;
  readonly statusSocket: string | undefined;
  readonly prefixLogs: boolean;
  readonly logger: RoostLogger;
  readonly clock: Clock;
}

/** The documented defaults. @publicApi */
export const DEFAULT_FLEET_OPTIONS = {
  http: 'auto',
  processes: [],
  threads: [],
  timeoutMs: 30_000,
  bootTimeoutMs: 30_000,
  restart: restartBackoff({ when: 'always', maxRestarts: 5, maxMs: 10_000, resetAfterMs: 30_000 }),
  prefixLogs: true,
  logger: consoleLogger('primary'),
  clock: systemClock,
} as const satisfies FleetOptions;

const CHILD_KEYS = ['count', 'env', 'restart', 'maxWaitMs'];
const FILE_KEYS = [...CHILD_KEYS, 'name', 'file', 'args'];
const KEYS = [...Object.keys(DEFAULT_FLEET_OPTIONS), 'app', 'maxWaitMs', 'statusSocket'];

/** Fills in defaults and refuses what could not work. @param script a relative file is looked for in its folder */
export function resolveFleetOptions(
  options: FleetOptions,
  env: NodeJS.ProcessEnv = process.env,
  script = process.argv[1] ?? '.',
): ResolvedFleetOptions {
  check.knownKeys(options, KEYS);
  const given = { ...DEFAULT_FLEET_OPTIONS, ...withoutUndefined(options) } as FleetOptions &
    typeof DEFAULT_FLEET_OPTIONS;
  const timeoutMs = options.timeoutMs ?? durationFromEnv('ROOST_TIMEOUT_MS', env) ?? given.timeoutMs;
  const maxWaitMs = options.maxWaitMs ?? durationFromEnv('ROOST_MAX_WAIT_MS', env);
  check.timeout(timeoutMs, 'timeoutMs');
  check.timeout(given.bootTimeoutMs, 'bootTimeoutMs');
  if (maxWaitMs !== undefined) check.timeout(maxWaitMs, 'maxWaitMs');
  assertRestartPolicy(given.restart, 'restart');
  check.boolean(given.prefixLogs, 'prefixLogs');
  const socket = given.statusSocket;
  if (socket !== undefined && (typeof socket !== 'string' || socket === '' || Buffer.byteLength(socket) > 100)) {
    throw new InvalidWorkerOptionError('statusSocket', socket, 'the path of a socket, 100 bytes at most');
  }

  const toSpec = (child: FileOptions, where: string): Spec => {
    check.knownKeys(child, FILE_KEYS, where);
    const { name, count = 1, restart = given.restart, args = [] } = child;
    assertWorkerName(name, `${where}.name`);
    check.number(count, `${where}.count (${name})`, { least: 1, most: 1_024, whole: true });
    assertRestartPolicy(restart, `${where}.restart (${name})`);
    const chosenWaitMs = child.maxWaitMs ?? maxWaitMs;
    const waitMs = Math.min(chosenWaitMs ?? timeoutMs, timeoutMs);
    if (child.maxWaitMs !== undefined) check.timeout(child.maxWaitMs, `${where}.maxWaitMs (${name})`);
    if (!Array.isArray(args) || args.some((arg) => typeof arg !== 'string')) {
      throw new InvalidWorkerOptionError(`${where}.args (${name})`, args, 'a list of texts');
    }
    return {
      name,
      count,
      args,
      restart,
      file: fileOf(child.file, `${where}.file (${name})`, script),
      env: {
        ...timeoutEnv(timeoutMs),
        ...(chosenWaitMs !== undefined && waitEnv(waitMs)),
        ...textsOf(child.env ?? {}, `${where}.env (${name})`),
      },
      maxWaitMs: waitMs,
    };
  };
  const specs: ChildSpec[] = [
    ...httpOptions(given, env).map((http) => ({ ...toSpec(http, 'http'), kind: 'http' as const })),
    ...listOf(given.processes, 'processes').map((one, i) => ({
      ...toSpec(one, `processes[${i}]`),
      kind: 'process' as const,
    })),
    ...listOf(given.threads, 'threads').map((one, i) => ({ ...toSpec(one, `threads[${i}]`), kind: 'thread' as const })),
  ];
  if (specs.length === 0) throw new NothingToLaunchError();
  const seen = new Set<string>();
  for (const { name } of specs) {
    if (seen.has(name)) throw new DuplicateChildError(name);
    seen.add(name);
  }
  const { bootTimeoutMs, prefixLogs, clock } = given;
  const logger = guardedLogger(given.logger);
  return { specs, timeoutMs, bootTimeoutMs, statusSocket: socket, prefixLogs, logger, clock };
}

function httpOptions({ app, http }: FleetOptions, env: NodeJS.ProcessEnv): FileOptions[] {
  const workers: HttpWorkerOptions = typeof http === 'object' ? http : { count: http ?? 'auto' };
  check.knownKeys(workers, [...CHILD_KEYS, 'name'], 'http');
  if (app === undefined) {
    if (http === undefined || http === 'auto') return [];
    throw new InvalidWorkerOptionError('app', app, 'the file of the HTTP application, since http is given');
  }
  const { count = 'auto', name = 'web', ...rest } = workers;
  return [{ ...rest, name, file: app, count: count === 'auto' ? workersFromEnv(env) : count }];
}

function workersFromEnv(env: NodeJS.ProcessEnv): number {
  const text = env['ROOST_WORKERS'];
  if (text === undefined || text === '' || text === 'auto') return cpuCount();
  if (/^[1-9]\d{0,3}$/.test(text)) return Number(text);
  throw new InvalidWorkerOptionError('ROOST_WORKERS', text, 'a whole number >= 1, or "auto"');
}

/** So that a child can still name what is stuck before it is killed. */
const CHILD_MARGIN_MS = 1_000;
/** What is left for the shutdown of a child. */
const timeoutEnv = (ms: number) => ({ ROOST_TIMEOUT_MS: String(Math.ceil(Math.max(ms / 2, ms - CHILD_MARGIN_MS))) });

/** What the applications in the child may take, by the variables of `@roost/workers` and `@roost/drain`. */
const waitEnv = (ms: number) => ({ ROOST_MAX_WAIT_MS: String(ms), ROOST_DRAIN_MAX_WAIT_MS: String(ms) });

function fileOf(file: unknown, option: string, script: string): string {
  const isUrl = file instanceof URL && file.protocol === 'file:';
  if (!isUrl && (typeof file !== 'string' || file === '')) {
    throw new InvalidWorkerOptionError(option, file, 'the path of a program, or a file: URL');
  }
  const path = isUrl ? fileURLToPath(file) : resolve(dirname(script), file as string);
  if (!existsSync(path)) throw new InvalidWorkerOptionError(option, file, `a file that exists: there is no ${path}`);
  return path;
}

function textsOf(env: unknown, option: string): Record<string, string> {
  check.knownKeys(env, Object.keys(env ?? {}), option);
  for (const [key, value] of Object.entries(env)) {
    if (typeof value !== 'string') throw new InvalidWorkerOptionError(`${option}.${key}`, value, 'a text');
  }
  return env as Record<string, string>;
}

function listOf<T>(value: readonly T[], option: string): readonly T[] {
  if (Array.isArray(value)) return value as readonly T[];
  throw new InvalidWorkerOptionError(option, value, 'a list');
}
