import type { PlannedPhase } from './phase-graph.js';
import type { PhaseStatus } from './report.js';
import type { TaskRegistry } from './task-registry.js';

/** A phase as returned by `describe()`. @publicApi */
export interface PhasePlan {
  name: string;
  dependsOn: string[];
  timeoutMs: number;
  recover: boolean;
  enabled: boolean;
  /** `pending` until the phase starts. */
  status: PhaseStatus | 'pending' | 'running';
  /** Pending tasks. Empty once the phase has started. */
  tasks: { name: string; timeoutMs?: number; declaredBy: string }[];
}

/** Returns the phases in running order. `statusOf` returns undefined for phases that have not started. */
export function describePlan(
  plan: readonly PlannedPhase[],
  tasks: TaskRegistry,
  statusOf: (phase: string) => PhasePlan['status'] | undefined,
): PhasePlan[] {
  return plan.map(({ name, dependsOn, timeoutMs, recover, enabled }) => ({
    name,
    dependsOn: [...dependsOn],
    timeoutMs,
    recover,
    enabled,
    status: statusOf(name) ?? 'pending',
    tasks: tasks.of(name).map((task) => ({
      name: task.name,
      ...(task.timeoutMs !== undefined && { timeoutMs: task.timeoutMs }),
      declaredBy: task.declaredBy,
    })),
  }));
}
