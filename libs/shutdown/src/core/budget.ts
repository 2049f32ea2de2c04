import { formatDuration } from '@roost/time';
import type { ResolvedShutdownOptions } from './options.js';
import type { PlannedPhase } from './phase-graph.js';
import type { TaskRegistry } from './task-registry.js';

/**
 * Returns the longest a phase can take: its timeout, or less if every task has a shorter one. An empty phase takes 0
 * ms.
 */
export function phaseBudgetMs(phase: PlannedPhase, tasks: TaskRegistry): number {
  if (!phase.enabled || !tasks.has(phase.name)) return 0;
  const longestTask = tasks.of(phase.name).reduce((longest, task) => Math.max(longest, task.timeoutMs ?? Infinity), 0);
  return Math.min(phase.timeoutMs, longestTask);
}

/** Returns the longest all phases can take: their sum, or in `graph` mode the critical path. */
export function totalBudgetMs(
  plan: readonly PlannedPhase[],
  tasks: TaskRegistry,
  concurrency: ResolvedShutdownOptions['concurrency'],
): number {
  if (concurrency === 'sequential') return plan.reduce((sum, phase) => sum + phaseBudgetMs(phase, tasks), 0);
  const endsAt = new Map<string, number>();
  let last = 0;
  for (const phase of plan) {
    const startsAt = phase.dependsOn.reduce((latest, name) => Math.max(latest, endsAt.get(name) ?? 0), 0);
    const end = startsAt + phaseBudgetMs(phase, tasks);
    endsAt.set(phase.name, end);
    last = Math.max(last, end);
  }
  return last;
}

/** Describes the limits that the phases exceed, with a table of the phases. Returns undefined if everything fits. */
export function budgetWarning(
  plan: readonly PlannedPhase[],
  tasks: TaskRegistry,
  options: ResolvedShutdownOptions,
): string | undefined {
  const { timeoutMs, gracePeriodMs, preStopMs, hooksBudgetMs, concurrency } = options;
  const phasesMs = totalBudgetMs(plan, tasks, concurrency);
  const problems: string[] = [];
  if (phasesMs + hooksBudgetMs > timeoutMs) {
    problems.push(
      `phases and hooks may take ${formatDuration(phasesMs + hooksBudgetMs)}, but timeoutMs cuts everything off after ` +
        `${formatDuration(timeoutMs)}: raise timeoutMs or lower phase timeouts`,
    );
  }
  if (timeoutMs + preStopMs > gracePeriodMs) {
    problems.push(
      `timeoutMs ${formatDuration(timeoutMs)}${preStopMs ? ` plus a preStop of ${formatDuration(preStopMs)}` : ''} exceeds ` +
        `the grace period of ${formatDuration(gracePeriodMs)}, so SIGKILL may arrive first: raise the grace period ` +
        `(and gracePeriodMs), or lower timeoutMs`,
    );
  }
  if (problems.length === 0) return undefined;
  const rows = plan
    .filter((phase) => phaseBudgetMs(phase, tasks) > 0)
    .map((phase) => [phase.name, formatDuration(phaseBudgetMs(phase, tasks))] as const);
  const table = [
    ...rows,
    ['hooks', formatDuration(hooksBudgetMs)] as const,
    ['timeoutMs', formatDuration(timeoutMs)] as const,
  ];
  const width = table.reduce((longest, [name]) => Math.max(longest, name.length), 0);
  return ['shutdown budget does not fit:', ...problems.map((problem) => `- ${problem}`)]
    .concat(table.map(([name, duration]) => `  ${name.padEnd(width)}  ${duration}`))
    .join('\n');
}
