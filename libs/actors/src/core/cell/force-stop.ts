import { isThenable, stackOf } from '@roost/kernel';
import { NO_BEHAVIOR } from '../behavior.js';
import { PostStop } from '../signals.js';
import type { ActorCell } from './actor-cell.js';
import { State } from './actor-state.js';
import { closeActor, finishStop } from './stop.js';
import { currentStep, type StuckActor } from './stuck-actor.js';

/**
 * Stops the actor and its descendants at once, bottom-up. Mailboxes become dead letters. `PostStop` is delivered to
 * each actor that has not had it, but is not awaited.
 *
 * @returns paths of all stopped actors below `root`, and the actors that were stuck in a handler
 */
export function forceStop(root: ActorCell): { forced: string[]; stuck: StuckActor[] } {
  const cells = [root];
  // Each path extends its parent's path. Computing them one by one takes quadratic time and memory in a deep tree.
  const paths = [root.path];
  for (let i = 0; i < cells.length; i++) {
    for (const child of cells[i]!.children?.values() ?? []) {
      cells.push(child);
      paths.push(`${paths[i]}/${child.name}`);
    }
  }
  const forced: string[] = [];
  const stuck: StuckActor[] = [];
  for (let i = cells.length - 1; i >= 0; i--) {
    const cell = cells[i]!;
    const path = paths[i]!;
    if (cell.state === State.Stopped) continue;
    if (cell !== root) forced.push(path);
    if (cell.isAwaiting) stuck.push({ path, handling: currentStep(cell) });
    if (cell.state < State.Stopping) closeActor(cell);
    deliverPostStopNow(cell);
    if ((cell.state as State) !== State.Stopped) finishStop(cell);
  }
  return { forced, stuck };
}

function deliverPostStopNow(cell: ActorCell): void {
  const { signalHandler } = cell.behavior;
  cell.behavior = NO_BEHAVIOR;
  const log = (error: unknown): void => cell.context.log.error(`PostStop threw: ${stackOf(error)}`);
  try {
    const result: unknown = signalHandler?.(cell.context, new PostStop());
    if (isThenable(result)) void Promise.resolve(result).catch(log);
  } catch (error) {
    log(error);
  }
}
