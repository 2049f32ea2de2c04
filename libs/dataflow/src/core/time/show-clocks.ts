import { formatTag } from './format-tag.js';
import { formatSpan } from './span.js';
import type { Tag } from './tag.js';

/** Formats a tag and the time on the clock, rounded to microseconds. */
export const showClocks = (tag: Tag, elapsed: number): string =>
  `${formatTag(tag)} at ${formatSpan(Math.round(elapsed / 1e3) * 1e3)}`;
