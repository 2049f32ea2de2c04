import { type DataflowOptions, type RunStatus, type Span, span, type Tag } from '@roost/dataflow/core';

/**
 * A small graph with a known end. Its nodes check what they see. A node that sees something else throws, which stops
 * the run by force.
 */
export interface Program {
  readonly name: string;
  readonly graph: DataflowOptions['graph'];
  readonly options: Pick<DataflowOptions, 'fast' | 'timeout'>;
  /** A placement over several processes. */
  readonly processes: Readonly<Record<string, readonly string[]>>;
  /** Whether every run has the same digest, in any placement. */
  readonly isDeterministic: boolean;
  readonly expected: ProgramEnd;
  /** More specific end if all nodes are in one process, where no node is ahead of one that requests a stop. */
  readonly embedded?: ProgramEnd;
}

export interface ProgramEnd {
  readonly status: RunStatus;
  /** Missing if it differs between runs. */
  readonly stopTag?: Tag;
  /** Number of reactions run by each node. Nodes whose number may vary are missing. */
  readonly firings: Readonly<Record<string, number>>;
}

/** Creates a tag. The time is a span, or a number of nanoseconds. */
export const at = (time: Span | number, microstep = 0): Tag => ({
  time: typeof time === 'number' ? time : span.toNs(time),
  microstep,
});

/** Returns the time of a tag in milliseconds. */
export const msOf = ({ time }: Tag): number => span.toMs(span.ns(time));

/** Compares two values as plain data. @throws Error when they differ */
export function check(what: string, actual: unknown, expected: unknown): void {
  const [found, wanted] = [JSON.stringify(actual), JSON.stringify(expected)];
  if (found !== wanted) throw new Error(`${what}: ${found} instead of ${wanted}`);
}
