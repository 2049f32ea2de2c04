import { InvalidWorkerOptionError } from './errors/invalid-worker-option.error.js';
import { assertFunction, assertWorkerName, check, durationFromEnv } from './option-checks.js';

describe('check', () => {
  it('throws an error of this library that names the option and keeps the value', () => {
    expect(() => check.number('1', 'count', { least: 1 })).toThrow(InvalidWorkerOptionError);
    expect(() => check.number('1', 'count', { least: 1 })).toThrow(
      expect.objectContaining({
        code: 'WORKERS_INVALID_OPTION',
        option: 'count',
        value: '1',
        expected: 'a finite number >= 1',
      }),
    );
  });
});

describe('assertFunction', () => {
  it('accepts only functions', () => {
    expect(() => assertFunction(() => 1, 'fn')).not.toThrow();
    for (const value of [undefined, null, {}, 'fn']) {
      expect(() => assertFunction(value, 'fn')).toThrow(InvalidWorkerOptionError);
    }
  });
});

describe('assertWorkerName', () => {
  it('accepts valid names', () => {
    for (const name of ['a', 'mail.queue', 'order-consumer_2', 'A'.repeat(64)]) {
      expect(() => assertWorkerName(name, 'name')).not.toThrow();
    }
    for (const name of ['', '1st', 'two words', 'a/b', 'A'.repeat(65), 'a\n', undefined]) {
      expect(() => assertWorkerName(name, 'name')).toThrow(InvalidWorkerOptionError);
    }
  });
});

describe('durationFromEnv', () => {
  it('reads a duration if the variable is set', () => {
    expect(durationFromEnv('X', {})).toBeUndefined();
    expect(durationFromEnv('X', { X: '' })).toBeUndefined();
    expect(durationFromEnv('X', { X: '250' })).toBe(250);
    expect(durationFromEnv('X', { X: '1.5s' })).toBe(1_500);
  });

  it.each(['soon', '0', '-5', '99999h'])('rejects %p and names the variable', (text) => {
    expect(() => durationFromEnv('ROOST_X', { ROOST_X: text })).toThrow(InvalidWorkerOptionError);
    expect(() => durationFromEnv('ROOST_X', { ROOST_X: text })).toThrow(/^Worker option `ROOST_X` is /);
  });
});
