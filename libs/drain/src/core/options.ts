import { consoleLogger, guardedLogger, type RoostLogger, withoutUndefined } from '@roost/kernel';
import { type Clock, parseDuration, systemClock } from '@roost/time';
import { InvalidDrainOptionError } from './errors/invalid-drain-option.error.js';
import type { Exemption } from './http/exemptions.js';
import { check } from './option-checks.js';

/** The response to a refused request. @publicApi */
export interface ShedResponse {
  /** @default 503 */
  status?: number;
  /** @default 'application/json; charset=utf-8' */
  contentType?: string;
  /** @default '{"statusCode":503,"message":"Service Unavailable"}' */
  body?: string;
}

/**
 * Options of `DrainModule.forRoot()` and of `Drain`. An option takes precedence over its environment variable.
 * @publicApi
 */
export interface DrainOptions {
  /**
   * Time in ms to keep serving requests after a shutdown has begun, with `Connection: close`, so that load balancers
   * can notice the shutdown. Env: `ROOST_DRAIN_LAME_DUCK_MS`.
   *
   * @default 0
   */
  lameDuckMs?: number;
  /**
   * Time in ms for in-flight work to finish after the drain stopped accepting new work. Work that is still unfinished
   * is then cut off and named in the error. Env: `ROOST_DRAIN_MAX_WAIT_MS`.
   *
   * @default 10_000
   */
  maxWaitMs?: number;
  /** `Retry-After` header of refused requests, in seconds. Env: `ROOST_DRAIN_RETRY_AFTER_SECONDS`. @default 5 */
  retryAfterSeconds?: number;
  /**
   * Time in ms that a keep-alive connection stays open after its last response, because the client may already have
   * sent another request. It delays the shutdown only if there was recent traffic. Env: `ROOST_DRAIN_SETTLE_MS`.
   *
   * @default 100
   */
  settleMs?: number;
  /**
   * Time in ms for WebSocket clients to answer the close frame. Env: `ROOST_DRAIN_WEB_SOCKET_GRACE_MS`.
   *
   * @default 1_000
   */
  webSocketGraceMs?: number;
  /**
   * Paths (`/metrics`) or functions that take the request. Matching requests are served while others are refused.
   * @default []
   */
  exempt?: Exemption | readonly Exemption[];
  shedResponse?: ShedResponse;
  /** @default `systemClock` */
  clock?: Clock;
  /** @default the console; under Nest, Nest's logger */
  logger?: RoostLogger;
}

/** The options with every default filled in. */
export interface ResolvedDrainOptions extends Required<Omit<DrainOptions, 'shedResponse' | 'exempt'>> {
  readonly exempt: readonly Exemption[];
  readonly shedResponse: Required<ShedResponse>;
  readonly logger: Required<RoostLogger>;
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
  logger: consoleLogger('drain'),
} as const satisfies Required<DrainOptions>;

const DURATION_VARIABLES = {
  lameDuckMs: 'ROOST_DRAIN_LAME_DUCK_MS',
  maxWaitMs: 'ROOST_DRAIN_MAX_WAIT_MS',
  settleMs: 'ROOST_DRAIN_SETTLE_MS',
  webSocketGraceMs: 'ROOST_DRAIN_WEB_SOCKET_GRACE_MS',
} as const;
const RETRY_AFTER_VARIABLE = 'ROOST_DRAIN_RETRY_AFTER_SECONDS';

/**
 * Applies environment variables and defaults, and validates every value. An option takes precedence over its variable.
 */
export function resolveDrainOptions(
  options: DrainOptions = {},
  env: NodeJS.ProcessEnv = process.env,
): ResolvedDrainOptions {
  check.knownKeys(options, Object.keys(DEFAULT_DRAIN_OPTIONS));
  const { clock, logger, exempt, shedResponse } = { ...DEFAULT_DRAIN_OPTIONS, ...withoutUndefined(options) };
  return {
    lameDuckMs: resolveDuration('lameDuckMs', options, env, { least: 0 }),
    // 0 is not allowed: it would leave no time for in-flight work.
    maxWaitMs: resolveDuration('maxWaitMs', options, env),
    settleMs: resolveDuration('settleMs', options, env, { least: 0 }),
    webSocketGraceMs: resolveDuration('webSocketGraceMs', options, env, { least: 0 }),
    retryAfterSeconds: resolveRetryAfter(options.retryAfterSeconds, env),
    exempt: resolveExemptions(exempt),
    shedResponse: resolveShedResponse(shedResponse),
    clock,
    logger: guardedLogger(logger),
  };
}

function resolveDuration(
  option: keyof typeof DURATION_VARIABLES,
  options: DrainOptions,
  env: NodeJS.ProcessEnv,
  limits: { least?: 0 } = {},
): number {
  const checked = (value: unknown): number => {
    check.timeout(value, option, limits);
    return value;
  };
  if (options[option] !== undefined) return checked(options[option]);
  const expected = `milliseconds or a duration such as "10s", ${limits.least === 0 ? '>=' : '>'} 0 and < 2^31 ms`;
  const fromEnv = check.fromEnv(DURATION_VARIABLES[option], env, (text) => checked(parseDuration(text)), expected);
  return fromEnv ?? DEFAULT_DRAIN_OPTIONS[option];
}

function resolveRetryAfter(option: number | undefined, env: NodeJS.ProcessEnv): number {
  const checked = (value: unknown): number => {
    check.number(value, 'retryAfterSeconds', { whole: true, least: 0 });
    return value;
  };
  if (option !== undefined) return checked(option);
  const parse = (text: string): number => checked(/^\d+$/.test(text) ? Number(text) : text);
  return (
    check.fromEnv(RETRY_AFTER_VARIABLE, env, parse, 'a whole number of seconds >= 0') ??
    DEFAULT_DRAIN_OPTIONS.retryAfterSeconds
  );
}

function resolveExemptions(exempt: Exemption | readonly Exemption[]): readonly Exemption[] {
  const exemptions = [exempt].flat();
  for (const exemption of exemptions) {
    if (typeof exemption === 'function' || (typeof exemption === 'string' && exemption.startsWith('/'))) continue;
    throw new InvalidDrainOptionError(
      'exempt',
      exemption,
      'a path that starts with "/", or a function that takes the request',
    );
  }
  return exemptions;
}

function resolveShedResponse(response: ShedResponse): Required<ShedResponse> {
  check.knownKeys(response, Object.keys(DEFAULT_DRAIN_OPTIONS.shedResponse), 'shedResponse');
  const resolved: Required<ShedResponse> = { ...DEFAULT_DRAIN_OPTIONS.shedResponse, ...withoutUndefined(response) };
  const { status, contentType, body } = resolved;
  check.number(status, 'shedResponse.status', { whole: true, least: 400, most: 599 });
  check.text(contentType, 'shedResponse.contentType');
  if (!/^[\x20-\x7e]+$/.test(contentType)) {
    const expected = 'one line of ASCII such as "text/plain"';
    throw new InvalidDrainOptionError('shedResponse.contentType', contentType, expected);
  }
  check.text(body, 'shedResponse.body');
  return resolved;
}
