import { isInternal, SIGNAL } from '../mailbox/internal-entry.js';
import { Terminated } from '../signals.js';
import type { ActorCell } from './actor-cell.js';
import { discardNotice } from './death-watch.js';

/** Turns stashed and waiting messages into dead letters, the oldest first, and rejects waiting offers. */
export function closeMailbox(cell: ActorCell): void {
  const { mailbox, extras } = cell;
  const stashed = extras?.stash ?? [];
  cell.mailbox = null;
  for (let i = 0; i < stashed.length; i += 2) cell.deadLetter(stashed[i], stashed[i + 1], 'stopped');
  while (mailbox !== null && mailbox.size > 0) {
    const message = mailbox.take();
    const beside = mailbox.takenReplyTo;
    if (!isInternal(message, beside)) cell.deadLetter(message, beside, 'stopped');
    else if (message instanceof Terminated && beside === SIGNAL) discardNotice(cell, message);
  }
  extras?.offers?.refuseAll(cell);
}
