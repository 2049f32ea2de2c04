import { formatSpan } from './span.js';
import type { Tag } from './tag.js';

/** Formats a tag: `(10 ms, 2)` is ten milliseconds after the start, microstep 2. @publicApi */
export const formatTag = ({ time, microstep }: Tag): string =>
  Number.isFinite(time) ? `(${formatSpan(time)}, ${microstep})` : formatSpan(time);
