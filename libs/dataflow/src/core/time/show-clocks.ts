import { formatTag } from './format-tag.js';
import { formatSpan } from './span.js';
import type { Tag } from './tag.js';

/** A tag, and where the clock is, to the microsecond. */
export const showClocks = (tag: Tag, elapsed: number): string =>
  `${formatTag(tag)} at ${formatSpan(Math.round(elapsed / 1e3) * 1e3)}`;
