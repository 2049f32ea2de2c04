import type { Timeline } from '../engine/timeline.js';
import { InvalidDataflowOptionError } from '../errors/invalid-dataflow-option.error.js';
import type { StopRequest } from '../node/context.js';
import { laterOf, nextMicrostep, plus, type Tag } from '../time/tag.js';

/** The tag that a request asks for. @throws InvalidDataflowOptionError */
export function proposalOf({ at, after }: StopRequest, from: Tag): Tag {
  if (at !== undefined && after !== undefined) {
    throw new InvalidDataflowOptionError('requestShutdown()', { at, after }, 'given either at or after');
  }
  if (typeof at === 'object' && at !== null) {
    assertWhole('at.time', at.time);
    assertWhole('at.microstep', at.microstep);
    return { time: at.time, microstep: at.microstep };
  }
  if (at !== undefined) {
    assertWhole('at', at);
    return { time: at, microstep: 0 };
  }
  if (after === undefined) return nextMicrostep(from);
  assertWhole('after', after);
  return after === 0 ? nextMicrostep(from) : plus(from, { time: after, microstep: 0 });
}

/** From where somebody outside of the graph counts: from what the clock says, in a graph that goes by it. */
export const tagOutside = (tag: Tag, timeline: Timeline, isFast: boolean, { after }: StopRequest): Tag =>
  isFast || after === undefined ? tag : laterOf(tag, { time: Math.max(0, timeline.elapsed()), microstep: 0 });

function assertWhole(option: string, value: unknown): void {
  if (Number.isSafeInteger(value) && (value as number) >= 0) return;
  throw new InvalidDataflowOptionError(`requestShutdown(): ${option}`, value, 'a span such as ms(10)');
}
