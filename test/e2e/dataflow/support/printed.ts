import type { DataflowReport, ProcessExit } from '@roost/dataflow/core';
import { AppProcess } from '../../../support/app-process.js';
import type { Plan } from '../fixtures/plan.js';

/** Where `tsc -b` puts the programs of these tests. */
export const FIXTURES = '.tsout/test/e2e/dataflow/fixtures';

/** As it was printed. */
export interface RunReport extends Omit<DataflowReport, 'error'> {
  readonly error?: { readonly code: string; readonly message: string };
  readonly processes?: readonly ProcessExit[];
}

export const reportIn = (app: AppProcess): RunReport => {
  const [line] = app.lines(/^report /);
  if (!line) throw new Error(`There is no report in what it printed:\n${app.output}`);
  return JSON.parse(line.slice('report '.length)) as RunReport;
};

/** Where nodes have stopped, and after how many numbers. */
export const stopsIn = (output: string): { readonly tags: Set<string>; readonly handled: Record<string, number> } => {
  const stops = [...output.matchAll(/^stop (\w+) at (\S+) after (\d+)$/gm)];
  return {
    tags: new Set(stops.map(([, , tag]) => tag!)),
    handled: Object.fromEntries(stops.map(([, node, , count]) => [node, Number(count)])),
  };
};

/** What a run in one process comes to. */
export async function embedded(plan: Plan): Promise<RunReport> {
  const app = new AppProcess(`${FIXTURES}/member.js`, { args: [JSON.stringify({ ...plan, fast: true })] });
  expect(await app.end()).toEqual({ code: 0, signal: null });
  return reportIn(app);
}
