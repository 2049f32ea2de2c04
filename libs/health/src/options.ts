import type { Type } from '@nestjs/common';
import type { HealthIndicatorResult } from '@nestjs/terminus';
import { withoutUndefined } from '@roost/kernel';
import { InvalidHealthOptionError } from './errors/invalid-health-option.error.js';
import { check } from './option-checks.js';

/**
 * `live`: whether to restart the process. `ready`: whether to send it requests. `startup`: whether to keep waiting for
 * its boot. @publicApi
 */
export type Probe = 'live' | 'ready' | 'startup';

export const PROBES: readonly Probe[] = ['live', 'ready', 'startup'];

type Result = HealthIndicatorResult | PromiseLike<HealthIndicatorResult>;

/** A health indicator class that Nest can construct, such as `DrainHealthIndicator`. @publicApi */
export type HealthIndicatorType = Type<{ isHealthy(key?: string): Result }>;

/** A check function, as Terminus accepts it: `() => db.pingCheck('database')`. @publicApi */
export type HealthCheckFunction = () => Result;

/** @publicApi */
export type ProbeIndicator = HealthIndicatorType | HealthCheckFunction;

/** @publicApi */
export interface HealthOptions {
  /**
   * Additional checks for each probe. The probe answers 503 if a check is down, throws or times out. A class is looked
   * up anywhere in the application, and constructed if the application does not provide it.
   *
   * @default {}
   */
  indicators?: Partial<Record<Probe, readonly ProbeIndicator[]>>;
  /** Timeout of each indicator in ms. @default 2_000 */
  timeoutMs?: number;
}

/** Location of the probes. It must be known before the factory of `forRootAsync` runs. @publicApi */
export interface HealthRouteOptions {
  /** Base path of the routes `<path>/live`, `<path>/ready` and `<path>/startup`. @default 'health' */
  path?: string | undefined;
  /**
   * Separate port for the probes, instead of the application's port. The probes are reachable as soon as the providers
   * have been created, before most `onModuleInit` hooks, until the end of the last shutdown hook. 0 selects a free
   * port, which is logged.
   *
   * @default undefined
   */
  port?: number | undefined;
  /** Address for `port`. @default undefined, which is every address of the machine */
  host?: string | undefined;
  /** Decorators of the controller, for example `[Public()]` to let probes pass a global guard. @default [] */
  decorators?: readonly ClassDecorator[] | undefined;
}

/** Options of `forRoot` and `forRootAsync` that a factory cannot set. */
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

/** @param options the options of `forRoot`, or the result of the factory of `forRootAsync` */
export function resolveHealthOptions(options: HealthOptions = {}): Required<HealthOptions> {
  check.object(options, 'options');
  const misplaced = Object.entries(options).find(([key]) => EXTRAS.includes(key));
  if (misplaced) {
    throw new InvalidHealthOptionError(...misplaced, 'passed next to `useFactory`: a factory cannot set it');
  }
  check.knownKeys(options, KNOWN);
  const { indicators, timeoutMs } = { ...DEFAULT_HEALTH_OPTIONS, ...withoutUndefined(options) };
  checkIndicators(indicators);
  check.timeout(timeoutMs, 'timeoutMs');
  return { indicators, timeoutMs };
}

/** @returns options whose path has no leading or trailing slash */
export function resolveRouteOptions(options: HealthModuleExtras): ResolvedRouteOptions {
  check.knownKeys(options, KNOWN);
  const { path, port, host, decorators }: ResolvedRouteOptions = {
    ...DEFAULT_HEALTH_ROUTE_OPTIONS,
    ...withoutUndefined(options),
  };
  if (typeof path !== 'string' || !/^\/?[\w~.-]+(\/[\w~.-]+)*\/?$/.test(path)) {
    throw new InvalidHealthOptionError('path', path, 'a fixed path such as "health" or "internal/health"');
  }
  if (port !== undefined) check.number(port, 'port', { whole: true, least: 0, most: 65_535 });
  if (host !== undefined && (typeof host !== 'string' || host === '' || port === undefined)) {
    throw new InvalidHealthOptionError('host', host, 'an address, and set only together with `port`');
  }
  if (!Array.isArray(decorators) || decorators.some((decorator: unknown) => typeof decorator !== 'function')) {
    throw new InvalidHealthOptionError('decorators', decorators, 'a list of class decorators');
  }
  return { path: path.replace(/^\/|\/$/g, ''), port, host, decorators };
}

function checkIndicators(indicators: object): void {
  check.knownKeys(indicators, PROBES, 'indicators');
  for (const [probe, list] of Object.entries(indicators) as [string, unknown][]) {
    if (list === undefined) continue;
    const option = `indicators.${probe}`;
    check.list(list, option);
    const wrong = list.findIndex((indicator) => typeof indicator !== 'function');
    if (wrong >= 0) {
      const expected = 'a class with isHealthy(), or a function that returns a result';
      throw new InvalidHealthOptionError(option, list[wrong], expected);
    }
  }
}
