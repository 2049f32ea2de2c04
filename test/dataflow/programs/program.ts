import type { DataflowOptions, RunStatus, Tag } from '@roost/dataflow/core';

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

/** A tag of so many nanoseconds. */
export const at = (time: number, microstep = 0): Tag => ({ time, microstep });

/** @throws Error when they are not the same, as plain data */
export function check(what: string, actual: unknown, expected: unknown): void {
  const [found, wanted] = [JSON.stringify(actual), JSON.stringify(expected)];
  if (found !== wanted) throw new Error(`${what}: ${found} instead of ${wanted}`);
}
