import { existsSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { InvalidWorkerOptionError } from '../errors/invalid-worker-option.error.js';
import { assertWorkerName, check } from '../option-checks.js';
import { assertRestartPolicy, type RestartPolicy } from '../restart-policy.js';

/** Options of every kind of child. @publicApi */
export interface ChildOptions {
  /** Number of instances. @default 1 */
  count?: number;
  /** Variables added to the environment of the launcher. @default {} */
  env?: Readonly<Record<string, string>>;
  /** Decides whether a child that exits unexpectedly is restarted. @default `restart` of the launcher */
  restart?: RestartPolicy;
  /**
   * Time in ms for a child to finish its in-flight work after the stop request. The child's application receives it as
   * `ROOST_MAX_WAIT_MS` and `ROOST_DRAIN_MAX_WAIT_MS`. The launcher kills the child one second later.
   *
   * @default `maxWaitMs` of the launcher
   */
  maxWaitMs?: number;
}

/** A child that runs a program. @publicApi */
export interface FileOptions extends ChildOptions {
  /** Name for logs, the status and errors. Unique in the fleet. */
  name: string;
  /** Path of the program. A relative path is resolved from the folder of the started script. */
  file: string | URL;
  /** Command-line arguments. @default [] */
  args?: readonly string[];
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
/** The options of one kind of child with all defaults applied. */
export type ChildSpec = ProcessSpec | ThreadSpec;

/** Launcher options that its children share. */
export interface ChildDefaults {
  readonly restart: RestartPolicy;
  /** Timeout in ms of the whole fleet shutdown. */
  readonly timeoutMs: number;
  /** Undefined unless set, because the applications in the children have their own defaults. */
  readonly maxWaitMs: number | undefined;
  /** The started script. Relative files are resolved from its folder. */
  readonly script: string;
}

export const CHILD_KEYS = ['count', 'env', 'restart', 'maxWaitMs'];
const FILE_KEYS = [...CHILD_KEYS, 'name', 'file', 'args'];
/**
 * Time in ms by which a child's shutdown is shorter than the primary's, so that the child can report stuck work before
 * it is killed.
 */
const CHILD_MARGIN_MS = 1_000;

/** @param where name of the option, for errors @throws InvalidWorkerOptionError */
export function resolveChild(child: FileOptions, where: string, defaults: ChildDefaults): Spec {
  check.knownKeys(child, FILE_KEYS, where);
  const { name, count = 1, restart = defaults.restart, args = [], env = {} } = child;
  assertWorkerName(name, `${where}.name`);
  const optionOf = (key: string): string => `${where}.${key} (${name})`;
  check.number(count, optionOf('count'), { least: 1, most: 1_024, whole: true });
  assertRestartPolicy(restart, optionOf('restart'));
  if (child.maxWaitMs !== undefined) check.timeout(child.maxWaitMs, optionOf('maxWaitMs'));
  assertTexts(args, optionOf('args'));
  assertEnv(env, optionOf('env'));
  const { timeoutMs } = defaults;
  const chosenWaitMs = child.maxWaitMs ?? defaults.maxWaitMs;
  const maxWaitMs = Math.min(chosenWaitMs ?? timeoutMs, timeoutMs);
  const waitEnv = chosenWaitMs === undefined ? {} : envOfWait(maxWaitMs);
  return {
    name,
    count,
    args,
    restart,
    file: resolveFile(child.file, optionOf('file'), defaults.script),
    env: { ...envOfTimeout(timeoutMs), ...waitEnv, ...env },
    maxWaitMs,
  };
}

/** Timeout of the child's own shutdown. */
const envOfTimeout = (ms: number) => ({ ROOST_TIMEOUT_MS: String(Math.ceil(Math.max(ms / 2, ms - CHILD_MARGIN_MS))) });

/** Wait of the applications in the child, in the variables of `@roost/workers` and `@roost/drain`. */
const envOfWait = (ms: number) => ({ ROOST_MAX_WAIT_MS: String(ms), ROOST_DRAIN_MAX_WAIT_MS: String(ms) });

function resolveFile(file: unknown, option: string, script: string): string {
  const isUrl = file instanceof URL && file.protocol === 'file:';
  if (!isUrl && (typeof file !== 'string' || file === '')) {
    throw new InvalidWorkerOptionError(option, file, 'the path or the file: URL of a program');
  }
  const path = isUrl ? fileURLToPath(file) : resolve(dirname(script), file as string);
  if (!existsSync(path)) throw new InvalidWorkerOptionError(option, file, `an existing file: ${path} does not exist`);
  return path;
}

function assertTexts(value: unknown, option: string): void {
  if (Array.isArray(value) && value.every((one) => typeof one === 'string')) return;
  throw new InvalidWorkerOptionError(option, value, 'a list of strings');
}

function assertEnv(env: unknown, option: string): void {
  check.object(env, option);
  for (const [key, value] of Object.entries(env)) check.text(value, `${option}.${key}`);
}
