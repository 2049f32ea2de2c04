import type { DataflowReport, ProcessExit } from '@roost/dataflow/core';
import { AppProcess } from '../../../support/app-process.js';
import type { Plan } from '../fixtures/plan.js';

/** Output path of `tsc -b` for the programs of these tests. */
export const FIXTURES = '.tsout/test/e2e/dataflow/fixtures';

/** A report as printed by a program. */
export interface RunReport extends Omit<DataflowReport, 'error'> {
  readonly error?: { readonly code: string; readonly message: string };
  readonly processes?: readonly ProcessExit[];
}

export const reportIn = (app: AppProcess): RunReport => {
  const [line] = app.lines(/^report /);
  if (!line) throw new Error(`no report in the output:\n${app.output}`);
  return JSON.parse(line.slice('report '.length)) as RunReport;
};

/** The tags at which nodes have stopped, and the number of values that each has handled. */
export const stopsIn = (output: string): { readonly tags: Set<string>; readonly handled: Record<string, number> } => {
  const stops = [...output.matchAll(/^stop (\w+) at (\S+) after (\d+)$/gm)];
  return {
    tags: new Set(stops.map(([, , tag]) => tag!)),
    handled: Object.fromEntries(stops.map(([, node, , count]) => [node, Number(count)])),
  };
};

/** Runs the plan in one process, and returns its report. */
export async function embedded(plan: Plan): Promise<RunReport> {
  const app = new AppProcess(`${FIXTURES}/member.js`, { args: [JSON.stringify({ ...plan, fast: true })] });
  expect(await app.end()).toEqual({ code: 0, signal: null });
  return reportIn(app);
}
