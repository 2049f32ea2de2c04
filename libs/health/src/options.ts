import type { Type } from '@nestjs/common';
import type { HealthIndicatorResult } from '@nestjs/terminus';
import { InvalidHealthOptionError } from './errors/invalid-health-option.error.js';

/** `live`: restart me or not. `ready`: send me requests or not. `startup`: wait for me or not. @publicApi */
export type Probe = 'live' | 'ready' | 'startup';

export const PROBES: readonly Probe[] = ['live', 'ready', 'startup'];

type Result = HealthIndicatorResult | PromiseLike<HealthIndicatorResult>;

/** A class that Nest can construct, such as `DrainHealthIndicator`. @publicApi */
export type HealthIndicatorType = Type<{ isHealthy(key?: string): Result }>;

/** A function as Terminus takes it: `() => db.pingCheck('database')`. @publicApi */
export type HealthCheckFunction = () => Result;

/** @publicApi */
export type ProbeIndicator = HealthIndicatorType | HealthCheckFunction;

/** @publicApi */
export interface HealthOptions {
  /**
   * What else each probe checks. One that is down, throws or takes too long makes the probe answer 503. A class is taken
   * from the application if it is provided anywhere in it, and made otherwise.
   *
   * @default {}
   */
  indicators?: Partial<Record<Probe, readonly ProbeIndicator[]>>;
  /** How long an indicator may take. @default 2_000 */
  timeoutMs?: number;
}

/** Where the probes are found; to be known before the options of `forRootAsync` are. @publicApi */
export interface HealthRouteOptions {
  /** The routes are `<path>/live`, `<path>/ready` and `<path>/startup`. @default 'health' */
  path?: string | undefined;
  /**
   * Serve the probes on a port of their own, and not on that of the application: reachable from when the providers have
   * been made, before most of `onModuleInit`, to the end of the last shutdown hook. 0: any free one, named in the log.
   *
   * @default undefined
   */
  port?: number | undefined;
  /** The address for `port`. @default undefined, which is every address of the machine */
  host?: string | undefined;
  /** For the controller, to let probes pass a global guard: `[Public()]`. @default [] */
  decorators?: readonly ClassDecorator[] | undefined;
}

/** What `forRoot` and `forRootAsync` take besides the options that a factory may make. */
export interface HealthModuleExtras extends HealthRouteOptions {
  /** Whether `ShutdownHealthIndicator` can be injected everywhere. @default true */
  isGlobal?: boolean | undefined;
}

/** The options with every default filled in. */
export interface ResolvedRouteOptions {
  readonly path: string;
  readonly port: number | undefined;
  readonly host: string | undefined;
  readonly decorators: readonly ClassDecorator[];
}

/** The documented defaults. @publicApi */
export const DEFAULT_HEALTH_OPTIONS = {
  indicators: {},
  timeoutMs: 2_000,
} as const satisfies Required<HealthOptions>;

/** The documented defaults. @publicApi */
export const DEFAULT_HEALTH_ROUTE_OPTIONS = {
  path: 'health',
  port: undefined,
  host: undefined,
  decorators: [],
} as const satisfies ResolvedRouteOptions;

const EXTRAS = [...Object.keys(DEFAULT_HEALTH_ROUTE_OPTIONS), 'isGlobal'];
const KNOWN = [...Object.keys(DEFAULT_HEALTH_OPTIONS), ...EXTRAS];

/** @param options of `forRoot`, or what the factory of `forRootAsync` has made */
export function resolveOptions(options: HealthOptions = {}): Required<HealthOptions> {
  assertObject(options, 'options');
  const misplaced = Object.entries(options).find(([key]) => EXTRAS.includes(key));
  if (misplaced) {
    throw new InvalidHealthOptionError(...misplaced, 'no factory can give it. Write it beside `useFactory`.');
  }
  assertKnownKeys(options, KNOWN, '');
  const indicators = options.indicators ?? DEFAULT_HEALTH_OPTIONS.indicators;
  const timeoutMs = options.timeoutMs ?? DEFAULT_HEALTH_OPTIONS.timeoutMs;
  assertIndicators(indicators);
  if (typeof timeoutMs !== 'number' || !(timeoutMs > 0 && timeoutMs < 2 ** 31)) {
    throw new InvalidHealthOptionError('timeoutMs', timeoutMs, 'it must be a number of milliseconds > 0 and < 2^31.');
  }
  return { indicators, timeoutMs };
}

/** @returns with a path that has no slashes around it. An option set to undefined is one left out. */
export function resolveRouteOptions(options: HealthModuleExtras): ResolvedRouteOptions {
  assertKnownKeys(options, KNOWN, '');
  const { path = DEFAULT_HEALTH_ROUTE_OPTIONS.path, port, host } = options;
  const { decorators = DEFAULT_HEALTH_ROUTE_OPTIONS.decorators } = options;
  if (typeof path !== 'string' || !/^\/?[\w~.-]+(\/[\w~.-]+)*\/?$/.test(path)) {
    throw new InvalidHealthOptionError('path', path, 'write a fixed path such as "health" or "internal/health".');
  }
  if (port !== undefined && !(Number.isInteger(port) && port >= 0 && port <= 65_535)) {
    throw new InvalidHealthOptionError('port', port, 'it must be a whole number from 0 to 65535.');
  }
  if (host !== undefined && (typeof host !== 'string' || host === '' || port === undefined)) {
    throw new InvalidHealthOptionError('host', host, 'it must be an address, and is for `port` only.');
  }
  if (!Array.isArray(decorators) || decorators.some((decorator: unknown) => typeof decorator !== 'function')) {
    throw new InvalidHealthOptionError('decorators', decorators, 'it must be a list of class decorators.');
  }
  return { path: path.replace(/^\/|\/$/g, ''), port, host, decorators: decorators as readonly ClassDecorator[] };
}

function assertIndicators(indicators: object): void {
  assertObject(indicators, 'indicators');
  assertKnownKeys(indicators, PROBES, 'indicators.');
  for (const [probe, list] of Object.entries(indicators) as [string, unknown][]) {
    if (list === undefined) continue;
    if (!Array.isArray(list)) {
      throw new InvalidHealthOptionError(`indicators.${probe}`, list, 'it must be a list of classes and functions.');
    }
    for (const indicator of list as unknown[]) {
      if (typeof indicator === 'function') continue;
      throw new InvalidHealthOptionError(
        `indicators.${probe}`,
        indicator,
        'write a class with isHealthy(), or a function that returns a result.',
      );
    }
  }
}

function assertObject(value: unknown, option: string): void {
  if (typeof value === 'object' && value !== null) return;
  throw new InvalidHealthOptionError(option, value, 'it must be an object.');
}

/** Misspelt options would otherwise be ignored until the day they are needed. */
function assertKnownKeys(value: object, known: readonly string[], where: string): void {
  for (const [key, given] of Object.entries(value)) {
    if (known.includes(key)) continue;
    throw new InvalidHealthOptionError(`${where}${key}`, given, `there is no such option. Known: ${known.join(', ')}.`);
  }
}
