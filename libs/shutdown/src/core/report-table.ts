import { counted } from '@roost/kernel';
import { formatDuration } from '@roost/time';
import { isBad, type ShutdownReport } from './report.js';

/** Formats the closing summary: one row per phase that had tasks, and one per task or hook that failed. */
export function reportTable(report: ShutdownReport): string {
  const rows: string[][] = [];
  for (const phase of report.phases) {
    if (phase.tasks.length === 0) continue;
    rows.push([phase.name, phase.status, formatDuration(phase.durationMs), counted(phase.tasks.length, 'task')]);
    for (const task of phase.tasks.filter((task) => isBad(task.status))) {
      rows.push([`  ${task.name}`, task.status, formatDuration(task.durationMs), task.error?.message ?? '']);
    }
  }
  for (const hook of (report.hooks ?? []).filter((hook) => isBad(hook.status))) {
    rows.push([hook.name, hook.status, formatDuration(hook.durationMs), hook.error?.message ?? '']);
  }
  const widths = [0, 1, 2].map((column) => rows.reduce((width, row) => Math.max(width, row[column]!.length), 0));
  const head =
    `shutdown ${report.status} in ${formatDuration(report.durationMs)}: ${report.reason}, exit code ${report.exitCode}` +
    (report.otherReasons.length > 0 ? ` (also: ${report.otherReasons.join(', ')})` : '');
  const lines = rows.map((row) =>
    `  ${row[0]!.padEnd(widths[0]!)}  ${row[1]!.padEnd(widths[1]!)}  ${row[2]!.padStart(widths[2]!)}  ${row[3]}`.trimEnd(),
  );
  return [head, ...lines].join('\n');
}
