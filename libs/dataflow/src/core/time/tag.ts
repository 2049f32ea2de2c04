/**
 * A point in logical time: nanoseconds since the start of the run, and a microstep that orders events at the same
 * nanosecond. Both are integers.
 *
 * @publicApi
 */
export interface Tag {
  readonly time: number;
  readonly microstep: number;
}

/** Delay of a message: either nanoseconds, or microsteps at the same nanosecond. */
export type Delay = Tag;

export const START: Tag = Object.freeze({ time: 0, microstep: 0 });
/** Earlier than every tag. @publicApi */
export const NEVER: Tag = Object.freeze({ time: -Infinity, microstep: 0 });
/** Later than every tag. @publicApi */
export const FOREVER: Tag = Object.freeze({ time: Infinity, microstep: 0 });

export const NO_DELAY: Delay = START;
export const ONE_MICROSTEP: Delay = Object.freeze({ time: 0, microstep: 1 });

/** Compares two tags. Negative if `a` is earlier, 0 if they are the same, positive if `a` is later. @publicApi */
export const compareTags = (a: Tag, b: Tag): number =>
  a.time === b.time ? a.microstep - b.microstep : a.time < b.time ? -1 : 1;

export const isBefore = (a: Tag, b: Tag): boolean =>
  a.time < b.time || (a.time === b.time && a.microstep < b.microstep);

export const isSame = (a: Tag, b: Tag): boolean => a.time === b.time && a.microstep === b.microstep;

export const earlierOf = (a: Tag, b: Tag): Tag => (isBefore(b, a) ? b : a);

export const laterOf = (a: Tag, b: Tag): Tag => (isBefore(a, b) ? b : a);

/**
 * Adds a delay. A delay in time resets the microstep, so a later event does not depend on the microstep that caused it.
 */
export function plus(tag: Tag, { time, microstep }: Delay): Tag {
  if (tag.time === Infinity) return FOREVER;
  return time > 0 ? { time: tag.time + time, microstep } : { time: tag.time, microstep: tag.microstep + microstep };
}

/** Returns the first tag after another. */
export const nextMicrostep = (tag: Tag): Tag => plus(tag, ONE_MICROSTEP);
