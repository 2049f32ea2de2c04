import type { Timeline } from '../engine/timeline.js';
import { InvalidDataflowOptionError } from '../errors/invalid-dataflow-option.error.js';
import type { StopRequest } from '../node/context.js';
import { check } from '../option-checks.js';
import { isSpan, nanosecondsOf } from '../time/span.js';
import { laterOf, nextMicrostep, plus, type Tag } from '../time/tag.js';

/** Returns the tag that a request asks for. @throws InvalidDataflowOptionError */
export function proposalOf(request: StopRequest, from: Tag): Tag {
  check.knownKeys(request, ['at', 'after'], 'requestShutdown');
  const { at, after } = request;
  if (at !== undefined && after !== undefined) {
    throw new InvalidDataflowOptionError('requestShutdown()', { at, after }, 'an object with either at or after');
  }
  if (isTag(at)) return { time: wholeOf('at.time', at.time), microstep: wholeOf('at.microstep', at.microstep) };
  if (at !== undefined) return { time: wholeOf('at', at), microstep: 0 };
  const time = after === undefined ? 0 : wholeOf('after', after);
  return time === 0 ? nextMicrostep(from) : plus(from, { time, microstep: 0 });
}

/**
 * Returns the tag from which a request from outside of the graph counts: the current time, unless the graph is `fast`.
 */
export const tagOutside = (tag: Tag, timeline: Timeline, isFast: boolean, { after }: StopRequest): Tag =>
  isFast || after === undefined ? tag : laterOf(tag, { time: Math.max(0, timeline.elapsed()), microstep: 0 });

const isTag = (at: StopRequest['at']): at is Tag => typeof at === 'object' && at !== null;

function wholeOf(option: string, value: unknown): number {
  if (isSpan(value)) return nanosecondsOf(value);
  throw new InvalidDataflowOptionError(`requestShutdown(): ${option}`, value, 'a span such as span.ms(10)');
}
