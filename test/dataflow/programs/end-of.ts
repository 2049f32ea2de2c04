import type { DataflowReport } from '@roost/dataflow/core';
import type { ProgramEnd } from './program.js';

/** The part of a report that an expected end mentions, and the error. */
export const endOf = (
  { status, exitCode, stopTag, nodes, error }: Omit<DataflowReport, 'error'> & { error: Error | string | undefined },
  expected: ProgramEnd,
): object => ({
  error: error && String(error),
  exitCode,
  status,
  ...(expected.stopTag && { stopTag }),
  firings: Object.fromEntries(Object.keys(expected.firings).map((name) => [name, nodes[name]?.firings])),
});

export const wholeEnd = (expected: ProgramEnd): object => ({ error: undefined, exitCode: 0, ...expected });
