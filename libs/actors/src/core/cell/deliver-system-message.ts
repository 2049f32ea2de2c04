import { Kill, PoisonPill, Resume, Suspend, type SystemMessage, Unwatch, Watch } from '../system-messages.js';
import type { ActorCell } from './actor-cell.js';
import { State } from './actor-state.js';
import { cellOf } from './cell-of.js';
import { unwatch, watch } from './death-watch.js';
import { kill, pushPoisonPill } from './stop.js';
import { resume, suspend, Suspension } from './suspension.js';

/**
 * Delivers a system message. All except `PoisonPill` bypass the mailbox: they take effect at once, or as soon as no
 * handler of the actor is running.
 */
export function deliverSystemMessage(cell: ActorCell, message: SystemMessage): void {
  if (message === PoisonPill) pushPoisonPill(cell);
  else if (message === Kill) kill(cell);
  else if (message === Suspend) suspendForUser(cell);
  else if (message === Resume) resume(cell, Suspension.User);
  else if (message instanceof Watch) watch(cellOf(message.watcher), cell);
  else if (message instanceof Unwatch) unwatch(cellOf(message.watcher), cell);
}

/** A stopping parent waits for its children. A suspended child would block both, so it is killed instead. */
function suspendForUser(cell: ActorCell): void {
  suspend(cell, Suspension.User);
  if (cell.parent !== null && cell.parent.state >= State.Stopping) kill(cell);
}
