import { consoleLogger, type ShutdownLogger } from '@roost/shutdown/core';
import { assertTimeoutMs, type Clock, parseDuration, systemClock } from '@roost/time';
import { InvalidDrainOptionError } from './errors/invalid-drain-option.error.js';
import type { Exemption } from './exemptions.js';

/** What a refused request is answered with. @publicApi */
export interface ShedResponse {
  /** @default 503 */
  status?: number;
  /** @default 'application/json; charset=utf-8' */
  contentType?: string;
  /** @default '{"statusCode":503,"message":"Service Unavailable"}' */
  body?: string;
}

/** @publicApi */
export interface DrainOptions {
  /**
   * How long requests are still served after a shutdown has begun, with `Connection: close`, so that load balancers can
   * take notice. Env: `ROOST_DRAIN_LAME_DUCK_MS`.
   *
   * @default 0
   */
  lameDuckMs?: number;
  /**
   * How long work in flight may take once no new work is taken; what is left then is cut off and named. Env:
   * `ROOST_DRAIN_MAX_WAIT_MS`.
   *
   * @default 10_000
   */
  maxWaitMs?: number;
  /** `Retry-After` of refused requests. Env: `ROOST_DRAIN_RETRY_AFTER_SECONDS`. @default 5 */
  retryAfterSeconds?: number;
  /**
   * How long after its last response a kept-alive connection is left open, because its client may have sent the next
   * request already. It costs time only if there was traffic in the last moments. Env: `ROOST_DRAIN_SETTLE_MS`.
   *
   * @default 100
   */
  settleMs?: number;
  /** How long WebSocket clients have to answer the close frame. Env: `ROOST_DRAIN_WEB_SOCKET_GRACE_MS`. @default 1_000 */
  webSocketGraceMs?: number;
  /** Paths (`/metrics`) or functions of the request: served even while others are refused. @default [] */
  exempt?: Exemption | readonly Exemption[];
  shedResponse?: ShedResponse;
  /** @default `systemClock` */
  clock?: Clock;
  /** @default lines on the console; under Nest, Nest's logger */
  logger?: ShutdownLogger;
}

/** The options with every default filled in. */
export interface ResolvedDrainOptions extends Required<Omit<DrainOptions, 'shedResponse' | 'exempt'>> {
  readonly exempt: readonly Exemption[];
  readonly shedResponse: Required<ShedResponse>;
}

/** The documented defaults. @publicApi */
export const DEFAULT_DRAIN_OPTIONS = {
  lameDuckMs: 0,
  maxWaitMs: 10_000,
  retryAfterSeconds: 5,
  settleMs: 100,
  webSocketGraceMs: 1_000,
  exempt: [],
  shedResponse: {
    status: 503,
    contentType: 'application/json; charset=utf-8',
    body: '{"statusCode":503,"message":"Service Unavailable"}',
  },
  clock: systemClock,
  logger: consoleLogger,
} as const satisfies ResolvedDrainOptions;

const FROM_ENV = {
  lameDuckMs: 'ROOST_DRAIN_LAME_DUCK_MS',
  maxWaitMs: 'ROOST_DRAIN_MAX_WAIT_MS',
  retryAfterSeconds: 'ROOST_DRAIN_RETRY_AFTER_SECONDS',
  settleMs: 'ROOST_DRAIN_SETTLE_MS',
  webSocketGraceMs: 'ROOST_DRAIN_WEB_SOCKET_GRACE_MS',
} as const;
type FromEnv = keyof typeof FROM_ENV;

/** Fills in env variables and defaults, and refuses what could not work later. An option wins over its env variable. */
export function resolveOptions(
  options: DrainOptions = {},
  env: Readonly<Record<string, string | undefined>> = process.env,
): ResolvedDrainOptions {
  assertKnownKeys(options, DEFAULT_DRAIN_OPTIONS, '');
  const shedResponse = resolveShedResponse(options.shedResponse);
  const resolved: ResolvedDrainOptions = {
    ...DEFAULT_DRAIN_OPTIONS,
    ...withoutUndefined(options),
    exempt: [options.exempt ?? []].flat(),
    shedResponse,
  };
  for (const option of Object.keys(FROM_ENV) as FromEnv[]) {
    const variable = FROM_ENV[option];
    const text = env[variable];
    const fromEnv = options[option] === undefined && text !== undefined && text !== '';
    if (fromEnv) resolved[option] = numberIn(text, option, variable);
    assertNumber(resolved[option], option, fromEnv ? variable : option, fromEnv ? text : resolved[option]);
  }
  for (const exemption of resolved.exempt) {
    if (typeof exemption === 'function' || (typeof exemption === 'string' && exemption.startsWith('/'))) continue;
    throw new InvalidDrainOptionError(
      'exempt',
      exemption,
      'write a path that begins with "/", or a function of the request.',
    );
  }
  return resolved;
}

function numberIn(text: string, option: FromEnv, variable: string): number {
  if (option === 'retryAfterSeconds') return /^\d+$/.test(text) ? Number(text) : NaN;
  try {
    return parseDuration(text);
  } catch (cause) {
    throw new InvalidDrainOptionError(variable, text, 'write milliseconds, or a duration such as "10s".', { cause });
  }
}

function assertNumber(value: number, option: FromEnv, where: string, given: unknown): void {
  if (option === 'retryAfterSeconds') {
    if (Number.isInteger(value) && value >= 0) return;
    throw new InvalidDrainOptionError(where, given, 'it must be a whole number of seconds >= 0.');
  }
  // Zero means no wait; for the wait itself it would mean that nothing in flight may end.
  if (value === 0 && option !== 'maxWaitMs') return;
  try {
    assertTimeoutMs(value, where);
  } catch (cause) {
    const least = option === 'maxWaitMs' ? '> 0' : '>= 0';
    throw new InvalidDrainOptionError(where, given, `it must be a number of milliseconds ${least} and < 2^31.`, {
      cause,
    });
  }
}

function resolveShedResponse(response: ShedResponse = {}): Required<ShedResponse> {
  assertKnownKeys(response, DEFAULT_DRAIN_OPTIONS.shedResponse, 'shedResponse.');
  const resolved: Required<ShedResponse> = { ...DEFAULT_DRAIN_OPTIONS.shedResponse, ...withoutUndefined(response) };
  const { status, contentType, body } = resolved;
  if (!Number.isInteger(status) || status < 400 || status > 599) {
    throw new InvalidDrainOptionError('shedResponse.status', status, 'it must be a status from 400 to 599.');
  }
  if (typeof contentType !== 'string' || !/^[\x20-\x7e]+$/.test(contentType)) {
    throw new InvalidDrainOptionError('shedResponse.contentType', contentType, 'it must be text such as "text/plain".');
  }
  if (typeof body !== 'string') throw new InvalidDrainOptionError('shedResponse.body', body, 'it must be text.');
  return resolved;
}

/** Misspelt options would otherwise be ignored until the day they are needed. */
function assertKnownKeys(value: object, defaults: object, where: string): void {
  if (typeof value !== 'object' || value === null) {
    throw new InvalidDrainOptionError(where.replace(/\.$/, '') || 'options', value, 'it must be an object.');
  }
  const known = Object.keys(defaults);
  for (const [key, given] of Object.entries(value)) {
    if (known.includes(key)) continue;
    throw new InvalidDrainOptionError(`${where}${key}`, given, `there is no such option. Known: ${known.join(', ')}.`);
  }
}

/** An option set to undefined is one left out. */
const withoutUndefined = <T extends object>(options: T): { [K in keyof T]?: NonNullable<T[K]> } =>
  Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)) as never;
