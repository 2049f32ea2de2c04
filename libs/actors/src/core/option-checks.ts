import { assertTimeoutMs } from '@roost/time';
import { InvalidActorOptionError } from './errors/invalid-actor-option.error.js';

interface Limits {
  least?: number;
  most?: number;
  above?: number;
  whole?: boolean;
}

/** @throws InvalidActorOptionError unless it is a finite number within the limits */
export function assertNumber(value: unknown, option: string, limits: Limits): asserts value is number {
  const { least, most, above, whole = false } = limits;
  const fits =
    typeof value === 'number' &&
    Number.isFinite(value) &&
    (!whole || Number.isInteger(value)) &&
    (least === undefined || value >= least) &&
    (most === undefined || value <= most) &&
    (above === undefined || value > above);
  if (fits) return;
  const bounds = [
    above !== undefined && `> ${above}`,
    least !== undefined && `>= ${least}`,
    most !== undefined && `<= ${most}`,
  ].filter(Boolean);
  throw new InvalidActorOptionError(option, value, `a ${whole ? 'whole ' : ''}number ${bounds.join(' and ')}`);
}

/** @throws InvalidActorOptionError unless a timer can wait for it */
export function assertTimeout(value: unknown, option: string): asserts value is number {
  try {
    assertTimeoutMs(value, option);
  } catch {
    throw new InvalidActorOptionError(option, value, 'a number of milliseconds > 0 and < 2^31');
  }
}

/** Misspelt options would otherwise be ignored until the day they are needed. */
export function assertKnownKeys(options: object, known: readonly string[], where: string): void {
  if (typeof options !== 'object' || options === null) {
    throw new InvalidActorOptionError(where, options, 'an object');
  }
  for (const [key, value] of Object.entries(options)) {
    if (known.includes(key)) continue;
    throw new InvalidActorOptionError(
      `${where}.${key}`,
      value,
      `left out: there is no such option. Known: ${known.join(', ')}`,
    );
  }
}
