import {
  DEFAULT_HEALTH_OPTIONS,
  DEFAULT_HEALTH_ROUTE_OPTIONS,
  HealthError,
  HealthModule,
  InvalidHealthOptionError,
} from './index.js';
import { type HealthModuleExtras, type HealthOptions, resolveHealthOptions, resolveRouteOptions } from './options.js';

const refusal = (attempt: () => unknown): InvalidHealthOptionError => {
  try {
    attempt();
  } catch (error) {
    expect(error).toBeInstanceOf(InvalidHealthOptionError);
    return error as InvalidHealthOptionError;
  }
  throw new Error('it was not refused');
};

describe('Health options', () => {
  it('have these defaults', () => {
    expect(DEFAULT_HEALTH_OPTIONS).toEqual({ indicators: {}, timeoutMs: 2_000 });
    expect(resolveHealthOptions()).toEqual(DEFAULT_HEALTH_OPTIONS);
    expect(DEFAULT_HEALTH_ROUTE_OPTIONS).toEqual({ path: 'health', port: undefined, host: undefined, decorators: [] });
    expect(resolveRouteOptions({})).toEqual(DEFAULT_HEALTH_ROUTE_OPTIONS);
  });

  it('are ignored when undefined', () => {
    const unset = { indicators: undefined, timeoutMs: undefined } as unknown as HealthOptions;
    expect(resolveHealthOptions(unset)).toEqual(DEFAULT_HEALTH_OPTIONS);
    expect(resolveHealthOptions({ indicators: { live: undefined } }).timeoutMs).toBe(2_000);
    expect(resolveRouteOptions({ path: undefined, port: undefined, host: undefined, decorators: undefined })).toEqual(
      DEFAULT_HEALTH_ROUTE_OPTIONS,
    );
    expect(HealthModule.forRoot({ isGlobal: undefined })).toMatchObject({ global: true });
  });

  it.each([
    ['health', 'health'],
    ['/health', 'health'],
    ['/internal/health/', 'internal/health'],
    ['v1.0/he_a~lth-z', 'v1.0/he_a~lth-z'],
  ])('normalize the path %s to %s', (path, expected) => {
    expect(resolveRouteOptions({ path }).path).toBe(expected);
  });

  it.each<[unknown, string, string]>([
    [null, 'options', 'Health option `options` is null, but must be an object.'],
    [{ indicators: 3 }, 'indicators', 'Health option `indicators` is 3, but must be an object.'],
    [
      { indicators: { alive: [] } },
      'indicators.alive',
      'Health option `indicators.alive` is set, but must be removed: there is no such option. Valid options: live, ready, startup.',
    ],
    [
      { indicators: { live: () => ({}) } },
      'indicators.live',
      'Health option `indicators.live` is [Function: live], but must be a list.',
    ],
    [
      { indicators: { ready: ['db'] } },
      'indicators.ready',
      "Health option `indicators.ready` is 'db', but must be a class with isHealthy(), or a function that returns a result.",
    ],
    ...[0, -1, 2 ** 31, NaN, '2s'].map((timeoutMs): [unknown, string, string] => [
      { timeoutMs },
      'timeoutMs',
      `Health option \`timeoutMs\` is ${typeof timeoutMs === 'string' ? `'${timeoutMs}'` : timeoutMs}, but must be a number of milliseconds > 0 and < 2^31.`,
    ]),
    [
      { timeout: 5 },
      'timeout',
      'Health option `timeout` is set, but must be removed: there is no such option. Valid options: indicators, timeoutMs, path, port, host, decorators, isGlobal.',
    ],
    [
      { port: 9_000 },
      'port',
      'Health option `port` is 9000, but must be passed next to `useFactory`: a factory cannot set it.',
    ],
  ])('refuse %j for %s', (options, option, message) => {
    const error = refusal(() => resolveHealthOptions(options as HealthOptions));
    expect(error).toMatchObject({ name: 'InvalidHealthOptionError', code: 'HEALTH_INVALID_OPTION', option });
    expect((error as Error).message).toContain(message);
    expect(error).toBeInstanceOf(HealthError);
  });

  const badPath = 'a fixed path such as "health" or "internal/health".';
  const badPort = 'a whole number >= 0 and <= 65535.';
  const badHost = 'an address, and set only together with `port`.';
  const badDecorators = 'a list of class decorators.';

  it.each<[unknown, string, string]>([
    ...['', '/', 'a//b', 'health/:id', 'health/*', 'he alth', '../héalth', 7, null].map(
      (path): [unknown, string, string] => [{ path }, 'path', badPath],
    ),
    ...[-1, 65_536, 1.5, NaN, '80', null].map((port): [unknown, string, string] => [{ port }, 'port', badPort]),
    [{ port: 0, host: '' }, 'host', badHost],
    [{ port: 0, host: 1 }, 'host', badHost],
    [{ host: '127.0.0.1' }, 'host', badHost],
    [{ decorators: () => undefined }, 'decorators', badDecorators],
    [{ decorators: ['Public'] }, 'decorators', badDecorators],
    [
      { prot: 80 },
      'prot',
      'removed: there is no such option. Valid options: indicators, timeoutMs, path, port, host, decorators, isGlobal.',
    ],
  ])('are checked when forRoot or forRootAsync is called: %j for %s', (options, option, expected) => {
    for (const attempt of [
      () => HealthModule.forRoot(options as HealthModuleExtras),
      () => HealthModule.forRootAsync({ useFactory: () => ({}), ...(options as HealthModuleExtras) }),
    ]) {
      const error = refusal(attempt);
      expect(error.option).toBe(option);
      // The value of an unknown option may be a secret.
      if (option !== 'prot') expect(error.value).toBe((options as Record<string, unknown>)[option]);
      expect(error.message).toMatch(/^Health option `\w+` is /);
      expect(error.message).toContain(`, but must be ${expected} (http`);
    }
  });
});
