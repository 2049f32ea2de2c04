import type { ActorCell } from '../cell/actor-cell.js';
import { currentStep, type StuckActor } from '../cell/stuck-actor.js';

/** Asynchronous work of a system that has not settled. */
export interface SystemActivity {
  /** Actors whose asynchronous handler or lifecycle step has not settled. */
  readonly awaiting: readonly StuckActor[];
  /** Number of unsettled `ctx.pipeToSelf` promises. */
  readonly openPipes: number;
}

export function activityOf(root: ActorCell): SystemActivity {
  const awaiting: StuckActor[] = [];
  const open = [root];
  for (let cell = open.pop(); cell; cell = open.pop()) {
    if (cell.isAwaiting) awaiting.push({ path: cell.path, handling: currentStep(cell) });
    for (const child of cell.children?.values() ?? []) open.push(child);
  }
  return { awaiting, openPipes: root.system.openPipes };
}
