import { inspect } from 'node:util';
import {
  invalidOptionText,
  MAX_TIMEOUT_MS,
  type OptionChecks,
  optionChecks,
  withoutUndefined,
} from './option-checks.js';

const check: OptionChecks = optionChecks(
  (option, value, expected, options) => new Error(invalidOptionText('Demo', option, value, expected), options),
);

describe('knownKeys', () => {
  it('names the unknown option and lists the valid ones', () => {
    expect(() => check.knownKeys({ nmae: 'x' }, ['name', 'age'])).toThrow(
      'Demo option `nmae` is set, but must be removed: there is no such option. Valid options: name, age.',
    );
    expect(() => check.knownKeys({ b: 1 }, ['a'], 'exit')).toThrow('Demo option `exit.b` is set');
  });

  it('does not show the value, which may be a secret', () => {
    expect.assertions(1);
    try {
      check.knownKeys({ tokne: 'hush' }, ['token']);
    } catch (error) {
      expect(inspect(error, { depth: 9 })).not.toContain('hush');
    }
  });

  it('accepts only known options, and undefined for an option not given', () => {
    expect(() => check.knownKeys({ name: undefined }, ['name'])).not.toThrow();
  });

  it.each([[undefined], [null], [5], ['text']])('refuses %p, which is not an object', (value) => {
    expect(() => check.knownKeys(value, ['name'])).toThrow(/^Demo option `options` is .*, but must be an object\.$/);
    expect(() => check.knownKeys(value, ['name'], 'exit')).toThrow('Demo option `exit` is');
  });
});

describe('object, list, boolean, text, oneOf', () => {
  it.each<[string, () => void, string]>([
    ['object', () => check.object(5, 'a'), 'an object'],
    ['null object', () => check.object(null, 'a'), 'an object'],
    ['list', () => check.list({}, 'a'), 'a list'],
    ['boolean', () => check.boolean('yes', 'a'), 'true or false'],
    ['text', () => check.text(5, 'a'), 'a string'],
    ['one of', () => check.oneOf('c', ['a', true], 'a'), 'one of "a", true'],
  ])('refuse a value of another type: %s', (_, run, expected) => {
    expect(run).toThrow(`but must be ${expected}.`);
  });

  it('accept values of their own type', () => {
    check.object({}, 'a');
    check.list([], 'a');
    check.boolean(false, 'a');
    check.text('', 'a');
    check.oneOf('a', ['a', 'b'], 'a');
    expect.assertions(0);
  });
});

describe('number', () => {
  it.each<[unknown, Parameters<OptionChecks['number']>[2], string]>([
    [NaN, {}, 'a finite number'],
    ['5', {}, 'a finite number'],
    [Infinity, { least: 1 }, 'a finite number >= 1'],
    [0, { above: 0 }, 'a finite number > 0'],
    [0, { least: 1 }, 'a finite number >= 1'],
    [1.5, { whole: true }, 'a whole number'],
    [256, { whole: true, least: 0, most: 255 }, 'a whole number >= 0 and <= 255'],
    [-1, { least: 0, endless: true }, 'a finite number >= 0, or Infinity'],
  ])('refuses %p with the limits %p', (value, limits, expected) => {
    expect(() => check.number(value, 'n', limits)).toThrow(`but must be ${expected}.`);
  });

  it.each<[number, Parameters<OptionChecks['number']>[2]]>([
    [-3.5, {}],
    [0, { least: 0 }],
    [255, { whole: true, least: 0, most: 255 }],
    [0.1, { above: 0 }],
    [Infinity, { least: 1, endless: true }],
  ])('accepts %p with the limits %p', (value, limits) => {
    expect(() => check.number(value, 'n', limits)).not.toThrow();
  });
});

describe('timeout', () => {
  it.each([[0], [-1], [NaN], [Infinity], [MAX_TIMEOUT_MS + 1], ['5s'], [undefined]])('refuses %p', (value) => {
    expect(() => check.timeout(value, 'waitMs')).toThrow('but must be a number of milliseconds > 0 and < 2^31.');
  });

  it('accepts delays that a timer supports, and 0 where it means no wait', () => {
    check.timeout(0.5, 'waitMs');
    check.timeout(MAX_TIMEOUT_MS, 'waitMs');
    check.timeout(0, 'waitMs', { least: 0 });
    expect(() => check.timeout(-1, 'waitMs', { least: 0 })).toThrow('>= 0 and < 2^31');
  });
});

describe('fromEnv', () => {
  const parse = (text: string): number => {
    if (!/^\d+$/.test(text)) throw new RangeError('no digits');
    return Number(text);
  };

  it('parses a variable that is set', () => {
    expect(check.fromEnv('WAIT', { WAIT: '12' }, parse, 'digits')).toBe(12);
  });

  it.each([[{}], [{ WAIT: '' }]])('returns undefined if the variable is not set: %p', (env) => {
    expect(check.fromEnv('WAIT', env, parse, 'digits')).toBeUndefined();
  });

  it('names the variable, and keeps the cause', () => {
    let thrown: Error | undefined;
    try {
      check.fromEnv('WAIT', { WAIT: 'x' }, parse, 'digits');
    } catch (error) {
      thrown = error as Error;
    }
    expect(thrown?.message).toBe("Demo option `WAIT` is 'x', but must be digits.");
    expect(thrown?.cause).toBeInstanceOf(RangeError);
  });
});

describe('withoutUndefined', () => {
  it('removes undefined options and nothing else', () => {
    expect(withoutUndefined({ a: undefined, b: null, c: 0, d: '' })).toEqual({ b: null, c: 0, d: '' });
  });
});
