import { RecordingLogger } from '@roost/kernel/testing';
import { systemClock } from '@roost/time';
import { Drain } from './drain.js';
import { InvalidDrainOptionError } from './errors/invalid-drain-option.error.js';
import { DEFAULT_DRAIN_OPTIONS, type DrainOptions, resolveDrainOptions } from './options.js';

const resolve = (options: unknown, env: Record<string, string> = {}) =>
  resolveDrainOptions(options as DrainOptions, env);
const invalid = (option: string, value: unknown) =>
  expect.objectContaining({ code: 'DRAIN_INVALID_OPTION', option, value }) as Error;

const VARIABLES = {
  lameDuckMs: 'ROOST_DRAIN_LAME_DUCK_MS',
  maxWaitMs: 'ROOST_DRAIN_MAX_WAIT_MS',
  settleMs: 'ROOST_DRAIN_SETTLE_MS',
  webSocketGraceMs: 'ROOST_DRAIN_WEB_SOCKET_GRACE_MS',
} as const;
const DURATIONS = Object.keys(VARIABLES) as (keyof typeof VARIABLES)[];

/** The resolved logger is guarded, so it differs from the one in the options. */
const DEFAULTS = { ...DEFAULT_DRAIN_OPTIONS, logger: expect.anything() as object };

describe('resolveDrainOptions', () => {
  it('fills in the documented defaults', () => {
    expect(resolve({})).toEqual(DEFAULTS);
    expect(DEFAULT_DRAIN_OPTIONS).toEqual({
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
      logger: expect.objectContaining({ log: expect.any(Function) }) as object,
    });
  });

  it('treats an option set to undefined as omitted', () => {
    const options = resolve({ lameDuckMs: undefined, exempt: undefined, clock: undefined, shedResponse: undefined });

    expect(options).toEqual(DEFAULTS);
    expect(resolve({ shedResponse: { body: undefined } })).toEqual(DEFAULTS);
  });

  it('reads the process environment by default', () => {
    process.env.ROOST_DRAIN_MAX_WAIT_MS = '1234';
    try {
      expect(resolveDrainOptions().maxWaitMs).toBe(1_234);
      expect(new Drain().options.maxWaitMs).toBe(1_234);
    } finally {
      delete process.env.ROOST_DRAIN_MAX_WAIT_MS;
    }
    expect(resolveDrainOptions().maxWaitMs).toBe(10_000);
  });

  it('guards the logger, so that its errors do not stop a drain', () => {
    const logger = new RecordingLogger();
    const fails = () => {
      throw new Error('no space left');
    };

    resolve({ logger }).logger.warn('a line');
    expect(logger.lines).toEqual(['warn: a line']);
    expect(() => resolve({ logger: { log: fails, warn: fails, error: fails } }).logger.log('a line')).not.toThrow();
  });

  it.each(DURATIONS)('rejects an invalid %s and names it', (option) => {
    for (const value of [NaN, Infinity, -1, 2 ** 31, '500', null, {}]) {
      expect(() => resolve({ [option]: value })).toThrow(InvalidDrainOptionError);
      expect(() => resolve({ [option]: value })).toThrow(invalid(option, value));
      expect(() => resolve({ [option]: value })).toThrow(
        /, but must be a number of milliseconds >=? 0 and < 2\^31\. \(http\S+\)$/,
      );
    }
    expect(resolve({ [option]: 2 ** 31 - 1 })[option]).toBe(2 ** 31 - 1);
  });

  it.each(DURATIONS)('accepts 0 for %s unless it is the wait itself', (option) => {
    if (option === 'maxWaitMs') expect(() => resolve({ maxWaitMs: 0 })).toThrow(invalid(option, 0));
    else expect(resolve({ [option]: 0 })[option]).toBe(0);
  });

  it('accepts whole seconds for retryAfterSeconds', () => {
    expect(resolve({ retryAfterSeconds: 0 }).retryAfterSeconds).toBe(0);
    for (const value of [1.5, -1, NaN, Infinity, '5', null]) {
      expect(() => resolve({ retryAfterSeconds: value })).toThrow(invalid('retryAfterSeconds', value));
    }
    expect(() => resolve({ retryAfterSeconds: 1.5 })).toThrow('but must be a whole number >= 0.');
  });

  it.each([
    [null, 'options', null],
    ['text', 'options', 'text'],
    [{ shedResponse: 'text' }, 'shedResponse', 'text'],
    [{ shedResponse: null }, 'shedResponse', null],
  ])('rejects %j', (options, option, value) => {
    expect(() => resolve(options)).toThrow(invalid(option, value));
  });

  it('lists the known options when one is unknown', () => {
    expect(() => resolve({ shedResponse: { code: 503 } })).toThrow('Drain option `shedResponse.code` is set, but');
    expect(() => resolve({ maxWait: 5 })).toThrow(
      'Drain option `maxWait` is set, but must be removed: there is no such option. Valid options: lameDuckMs, maxWaitMs, ' +
        'retryAfterSeconds, settleMs, webSocketGraceMs, exempt, shedResponse, clock, logger.',
    );
  });
});

describe('resolveDrainOptions, exempt', () => {
  const isProbe = () => true;

  it.each([
    ['/a', ['/a']],
    [isProbe, [isProbe]],
    [
      ['/a', isProbe, '/b'],
      ['/a', isProbe, '/b'],
    ],
    [[], []],
  ])('accepts %p', (exempt, expected) => {
    expect(resolve({ exempt }).exempt).toEqual(expected);
  });

  it.each(['metrics', '', 5, {}, /metrics/])('rejects %p', (value) => {
    expect(() => resolve({ exempt: value })).toThrow(invalid('exempt', value));
    expect(() => resolve({ exempt: ['/a', value] })).toThrow('must be a path that starts with "/", or a function');
  });
});

describe('resolveDrainOptions, shedResponse', () => {
  it('keeps the given fields and fills in the rest', () => {
    expect(resolve({ shedResponse: { status: 429, body: '' } }).shedResponse).toEqual({
      status: 429,
      contentType: 'application/json; charset=utf-8',
      body: '',
    });
  });

  it.each([
    ['status', [200, 399, 600, 503.5, NaN, '503', null]],
    ['contentType', ['', 'text/plain\r\nX: y', 'ä', 5, null]],
    ['body', [5, null, {}, Buffer.from('x')]],
  ])('rejects an invalid %s', (key, values) => {
    for (const value of values) {
      expect(() => resolve({ shedResponse: { [key]: value } })).toThrow(invalid(`shedResponse.${key}`, value));
    }
  });
});

describe('resolveDrainOptions, env variables', () => {
  it.each(DURATIONS)('reads %s as milliseconds or a duration', (option) => {
    expect(resolve({}, { [VARIABLES[option]]: '250' })[option]).toBe(250);
    expect(resolve({}, { [VARIABLES[option]]: '10s' })[option]).toBe(10_000);
  });

  it('prefers the option and does not read the variable', () => {
    const env = { ROOST_DRAIN_MAX_WAIT_MS: 'nonsense', ROOST_DRAIN_LAME_DUCK_MS: '7' };

    expect(resolve({ maxWaitMs: 20, lameDuckMs: undefined }, env)).toMatchObject({ maxWaitMs: 20, lameDuckMs: 7 });
  });

  it('treats an empty variable as unset', () => {
    const env = {
      ...Object.fromEntries(DURATIONS.map((o) => [VARIABLES[o], ''])),
      ROOST_DRAIN_RETRY_AFTER_SECONDS: '',
    };

    expect(resolve({}, env)).toEqual(DEFAULTS);
  });

  it.each(DURATIONS)('names the variable of %s when its value is invalid', (option) => {
    const variable = VARIABLES[option];
    for (const text of ['soon', '-1', '1e3', ' ', '10 s 5 h', '2147483648']) {
      expect(() => resolve({}, { [variable]: text })).toThrow(invalid(variable, text));
    }
    expect(() => resolve({}, { [variable]: 'soon' })).toThrow(
      /must be milliseconds or a duration such as "10s", >=? 0 and < 2\^31 ms\. \(http\S+\)$/,
    );
  });

  it('rejects 0 for maxWaitMs from the environment, and accepts it for the others', () => {
    expect(() => resolve({}, { ROOST_DRAIN_MAX_WAIT_MS: '0' })).toThrow(invalid('ROOST_DRAIN_MAX_WAIT_MS', '0'));
    expect(resolve({}, { ROOST_DRAIN_SETTLE_MS: '0' }).settleMs).toBe(0);
  });

  it('reads whole seconds for Retry-After', () => {
    const variable = 'ROOST_DRAIN_RETRY_AFTER_SECONDS';

    expect(resolve({}, { [variable]: '30' }).retryAfterSeconds).toBe(30);
    for (const text of ['1.5', '-1', '10s', 'soon', ' ', '0x10', '1e3']) {
      expect(() => resolve({}, { [variable]: text })).toThrow(invalid(variable, text));
    }
    expect(() => resolve({}, { [variable]: '1.5' })).toThrow('must be a whole number of seconds >= 0.');
  });

  it('reports the parse error as the cause', () => {
    const error = (() => {
      try {
        return resolve({}, { ROOST_DRAIN_SETTLE_MS: 'soon' });
      } catch (thrown) {
        return thrown;
      }
    })();

    expect(error).toMatchObject({ cause: { code: 'TIME_INVALID_DURATION' } });
  });
});
