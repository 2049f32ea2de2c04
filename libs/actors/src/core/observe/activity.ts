import type { ActorCell } from '../cell/actor-cell.js';
import { currentStep, type StuckActor } from '../cell/stuck-actor.js';

/** What has begun in a system and has not settled. */
export interface SystemActivity {
  /** Actors with an asynchronous handler, or step of their life, under way. */
  readonly awaiting: readonly StuckActor[];
  /** Promises of `ctx.pipeToSelf`. */
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
