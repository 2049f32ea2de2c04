import { assertTimeoutMs } from '@roost/time';
import { InvalidOptionError } from './errors/invalid-option.error.js';
import { InvalidTimeoutError } from './errors/invalid-timeout.error.js';

export function assertTimeout(value: unknown, option: string): asserts value is number {
  try {
    assertTimeoutMs(value, option);
  } catch (error) {
    throw new InvalidTimeoutError(option, value, error as Error);
  }
}

export const assertObject = (value: unknown, option: string): void => {
  if (typeof value !== 'object' || value === null) throw new InvalidOptionError(option, value, 'it must be an object.');
};

export const assertBoolean = (value: unknown, option: string): void => assertOneOf(value, [true, false], option);

export const assertList = (value: unknown, option: string): void => {
  if (!Array.isArray(value)) throw new InvalidOptionError(option, value, 'it must be a list.');
};

/** Misspelt options would otherwise be ignored until the day they are needed. */
export const assertKnownKeys = (value: object, known: readonly string[], where: string): void => {
  assertObject(value, where.replace(/[. ]+$/, '') || 'options');
  for (const key of Object.keys(value)) {
    if (!known.includes(key)) {
      throw new InvalidOptionError(
        `${where}${key}`,
        (value as Record<string, unknown>)[key],
        `there is no such option. Known: ${known.join(', ')}.`,
      );
    }
  }
};

export const assertOneOf = (value: unknown, allowed: readonly unknown[], option: string): void => {
  if (!allowed.includes(value)) {
    throw new InvalidOptionError(
      option,
      value,
      `it must be one of ${allowed.map((one) => JSON.stringify(one)).join(', ')}.`,
    );
  }
};
