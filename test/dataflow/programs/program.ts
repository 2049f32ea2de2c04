import { type DataflowOptions, type RunStatus, type Span, span, type Tag } from '@roost/dataflow/core';

/**
 * A small graph with a known end. Its nodes look for themselves whether they see what they should: one that does not
 * throws, and the run is forced.
 */
export interface Program {
  readonly name: string;
  readonly graph: DataflowOptions['graph'];
  readonly options: Pick<DataflowOptions, 'fast' | 'timeout'>;
  /** A placement over several processes. */
  readonly processes: Readonly<Record<string, readonly string[]>>;
  /** Every run has the same digest, wherever its nodes are. */
  readonly isDeterministic: boolean;
  readonly expected: ProgramEnd;
  /** What else is known when all its nodes are in one process, so that nobody is further than who asks for a stop. */
  readonly embedded?: ProgramEnd;
}

export interface ProgramEnd {
  readonly status: RunStatus;
  /** Missing when it is another one in every run. */
  readonly stopTag?: Tag;
  /** How often the reactions of each node run; nodes for which that is open are missing. */
  readonly firings: Readonly<Record<string, number>>;
}

/** The time is a span, or a number of nanoseconds. */
export const at = (time: Span | number, microstep = 0): Tag => ({
  time: typeof time === 'number' ? time : span.toNs(time),
  microstep,
});

/** The time of a tag in milliseconds. */
export const msOf = ({ time }: Tag): number => span.toMs(span.ns(time));

/** @throws Error when they are not the same, as plain data */
export function check(what: string, actual: unknown, expected: unknown): void {
  const [found, wanted] = [JSON.stringify(actual), JSON.stringify(expected)];
  if (found !== wanted) throw new Error(`${what}: ${found} instead of ${wanted}`);
}
