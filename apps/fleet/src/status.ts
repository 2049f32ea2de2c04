import { type ChildStatus, readStatus, StatusSocketError } from '@roost/workers';
import { config } from './config.js';

const COLUMNS: Readonly<Record<string, (child: ChildStatus) => string | number | undefined>> = {
  name: ({ name }) => name,
  pid: ({ pid }) => pid,
  state: ({ state }) => state,
  up: ({ ageMs }) => (ageMs === undefined ? undefined : inSeconds(ageMs)),
  restarts: ({ restarts }) => restarts,
  'in flight': ({ inFlight }) => inFlight,
  'last failure': ({ lastFailure }) => lastFailure,
};

const inSeconds = (ms: number): string => `${Math.round(ms / 1_000)} s`;

try {
  const { pid, state, uptimeMs, children } = await readStatus(config.statusSocket);
  console.log(`fleet ${pid} is ${state}, up ${inSeconds(uptimeMs)}\n`);
  console.log(formatTable([Object.keys(COLUMNS), ...children.map(rowOf)]));
} catch (error) {
  if (!(error instanceof StatusSocketError)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}

function rowOf(child: ChildStatus): string[] {
  return Object.values(COLUMNS).map((cell) => String(cell(child) ?? '-'));
}

function formatTable(rows: string[][]): string {
  const widths = rows[0]!.map((_, column) => Math.max(...rows.map((row) => row[column]!.length)));
  return rows
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column]!))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}
