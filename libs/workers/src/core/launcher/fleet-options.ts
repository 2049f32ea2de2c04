import { consoleLogger, guardedLogger, type RoostLogger, withoutUndefined } from '@roost/kernel';
import { type Clock, systemClock } from '@roost/time';
import { DuplicateChildError } from '../errors/duplicate-child.error.js';
import { InvalidWorkerOptionError } from '../errors/invalid-worker-option.error.js';
import { NothingToLaunchError } from '../errors/nothing-to-launch.error.js';
import { check, durationFromEnv } from '../option-checks.js';
import { assertRestartPolicy, restartBackoff, type RestartPolicy } from '../restart-policy.js';
import { type ChildDefaults, type ChildSpec, type FileOptions, resolveChild } from './child-options.js';
import { type HttpWorkerOptions, resolveHttpWorkers } from './http-worker-options.js';

/** Options of a fleet. @publicApi */
export interface FleetOptions {
  /** Program of the HTTP workers, which share its port. @default none */
  app?: string | URL;
  /** Number of HTTP workers, or their options. @default 'auto' */
  http?: number | 'auto' | HttpWorkerOptions;
  /** Background processes, each in its own OS process. @default [] */
  processes?: readonly FileOptions[];
  /** Worker threads of the primary. @default [] */
  threads?: readonly FileOptions[];
  /**
   * Timeout in ms of the whole shutdown. Children that are still alive after it are killed and named, and the exit code
   * is 1. Each child gets one second less for its own shutdown, as `ROOST_TIMEOUT_MS`. Env: `ROOST_TIMEOUT_MS`.
   *
   * @default 30_000
   */
  timeoutMs?: number;
  /**
   * Time in ms for each child without its own `maxWaitMs`. Env: `ROOST_MAX_WAIT_MS`.
   *
   * @default the application's own setting, at most `timeoutMs`
   */
  maxWaitMs?: number;
  /**
   * Time in ms for a child to come up. After that the launcher logs a warning, and a rolling restart is aborted.
   *
   * @default 30_000
   */
  bootTimeoutMs?: number;
  /**
   * Restart policy of children without their own.
   *
   * @default restartBackoff({ when: 'always', maxRestarts: 5, maxMs: 10_000, resetAfterMs: 30_000 })
   */
  restart?: RestartPolicy;
  /** Path of a local socket that serves the status. Only the user of the launcher can open it. @default none */
  statusSocket?: string;
  /**
   * Whether each line that a child prints starts with the child's name. With `false` children print directly.
   *
   * @default true
   */
  prefixLogs?: boolean;
  /** Logger of the primary. @default the console, with the prefix `[primary]` */
  logger?: RoostLogger;
  /** @default `systemClock` */
  clock?: Clock;
}

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

const KEYS = [...Object.keys(DEFAULT_FLEET_OPTIONS), 'app', 'maxWaitMs', 'statusSocket'];
/** Unix allows only slightly longer socket paths. */
const MAX_SOCKET_PATH_BYTES = 100;

type GivenOptions = FleetOptions & typeof DEFAULT_FLEET_OPTIONS;

/**
 * Applies environment variables and defaults. An option takes precedence over its variable.
 *
 * @param script relative files are resolved from its folder
 * @throws InvalidWorkerOptionError, DuplicateChildError, NothingToLaunchError
 */
export function resolveFleetOptions(
  options: FleetOptions,
  env: NodeJS.ProcessEnv = process.env,
  script = process.argv[1] ?? '.',
): ResolvedFleetOptions {
  check.knownKeys(options, KEYS);
  const given = { ...DEFAULT_FLEET_OPTIONS, ...withoutUndefined(options) } as GivenOptions;
  const { restart, bootTimeoutMs, prefixLogs, statusSocket, clock } = given;
  const timeoutMs = options.timeoutMs ?? durationFromEnv('ROOST_TIMEOUT_MS', env) ?? given.timeoutMs;
  const maxWaitMs = options.maxWaitMs ?? durationFromEnv('ROOST_MAX_WAIT_MS', env);
  check.timeout(timeoutMs, 'timeoutMs');
  check.timeout(bootTimeoutMs, 'bootTimeoutMs');
  if (maxWaitMs !== undefined) check.timeout(maxWaitMs, 'maxWaitMs');
  assertRestartPolicy(restart, 'restart');
  check.boolean(prefixLogs, 'prefixLogs');
  if (statusSocket !== undefined) assertSocketPath(statusSocket);
  const specs = resolveSpecs(given, env, { restart, timeoutMs, maxWaitMs, script });
  return { specs, timeoutMs, bootTimeoutMs, statusSocket, prefixLogs, logger: guardedLogger(given.logger), clock };
}

function resolveSpecs(given: GivenOptions, env: NodeJS.ProcessEnv, defaults: ChildDefaults): ChildSpec[] {
  const { app, http, processes, threads } = given as Required<FleetOptions>;
  check.list(processes, 'processes');
  check.list(threads, 'threads');
  const specs: ChildSpec[] = [
    ...resolveHttpWorkers(app, http, env).map((one) => ({
      ...resolveChild(one, 'http', defaults),
      kind: 'http' as const,
    })),
    ...processes.map((one, i) => ({
      ...resolveChild(one, `processes[${i}]`, defaults),
      kind: 'process' as const,
    })),
    ...threads.map((one, i) => ({ ...resolveChild(one, `threads[${i}]`, defaults), kind: 'thread' as const })),
  ];
  if (specs.length === 0) throw new NothingToLaunchError();
  assertUniqueNames(specs);
  return specs;
}

function assertUniqueNames(specs: readonly ChildSpec[]): void {
  const seen = new Set<string>();
  for (const { name } of specs) {
    if (seen.has(name)) throw new DuplicateChildError(name);
    seen.add(name);
  }
}

function assertSocketPath(path: unknown): void {
  if (typeof path === 'string' && path !== '' && Buffer.byteLength(path) <= MAX_SOCKET_PATH_BYTES) return;
  throw new InvalidWorkerOptionError('statusSocket', path, `a socket path of at most ${MAX_SOCKET_PATH_BYTES} bytes`);
}
