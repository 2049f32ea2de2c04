import type { ActorCell } from './actor-cell.js';
import { State } from './actor-state.js';
import { unwatch, watch } from './death-watch.js';
import { beginStop } from './lifecycle.js';
import { isSuspended, resume, suspend, Suspension } from './suspension.js';
import { Kill, PoisonPill, Resume, Suspend, type SystemMessage, Unwatch, Watch } from '../system-messages.js';

/** All but the pill take effect at once, or as soon as no handler of the actor is running: they do not wait in the mailbox. */
export function deliverSystemMessage(cell: ActorCell, message: SystemMessage): void {
  if (message === PoisonPill) pushPoisonPill(cell);
  else if (message === Kill) kill(cell);
  else if (message === Suspend) suspendForUser(cell);
  else if (message === Resume) resume(cell, Suspension.User);
  else if (message instanceof Watch) watch(message.watcher, cell);
  else if (message instanceof Unwatch) unwatch(message.watcher, cell);
}

/** Of an actor that is asked to end by its parent, which waits for it, a suspension would be the end of both. */
function suspendForUser(cell: ActorCell): void {
  suspend(cell, Suspension.User);
  if (cell.parent !== null && cell.parent.state >= State.Stopping) kill(cell);
}

/** Ends the actor after what is in its mailbox, or, if it must not or cannot get that far, after the message it is handling. */
export function requestStop(cell: ActorCell, mode: 'drain' | 'kill'): void {
  if (mode === 'kill' || isSuspended(cell, Suspension.User | Suspension.Escalated)) kill(cell);
  else pushPoisonPill(cell);
}

function pushPoisonPill(cell: ActorCell): void {
  const offers = cell.extras?.offers;
  if (offers && offers.size > 0) offers.waitForEnd();
  else cell.pushInternal(PoisonPill, undefined);
}

function kill(cell: ActorCell): void {
  if (cell.state >= State.Stopping) return;
  cell.extras?.abort?.abort();
  cell.addWork(() => beginStop(cell, 'kill'));
}
