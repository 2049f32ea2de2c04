import type { ActorCell } from '../cell/actor-cell.js';
import { PendingAsk } from '../cell/ask.js';
import { typeOf } from '../type-of.js';
import { MailboxFullError } from '../errors/mailbox-full.error.js';
import { check } from '../option-checks.js';
import { UndeliveredError } from '../errors/undelivered.error.js';
import { State } from '../cell/actor-state.js';
import { isInternal } from './internal-entry.js';
import type { Mailbox } from './mailbox.js';
import { Overflow } from './mailbox-options.js';
import { WaitingOffers } from './waiting-offers.js';

/**
 * Applies the overflow option to a message for a full mailbox. Returns false if there is still no room; the message has
 * been disposed of then.
 */
export function applyOverflow(cell: ActorCell, mailbox: Mailbox, message: unknown, replyTo: unknown): boolean {
  const { overflow, capacity } = cell.props.mailbox;
  if (overflow === Overflow.DropOldest) {
    return dropOldest(cell, mailbox) || refuse(cell, message, replyTo);
  }
  if (overflow === Overflow.Throw) {
    const error = new MailboxFullError(cell.path, capacity);
    if (!(replyTo instanceof PendingAsk)) throw error;
    replyTo.fail(error);
    return false;
  }
  return refuse(cell, message, replyTo);
}

function refuse(cell: ActorCell, message: unknown, replyTo: unknown): false {
  cell.deadLetter(message, replyTo, 'mailbox-full');
  return false;
}

/** Drops the oldest user message and keeps internal entries in order. Returns false if there is no user message. */
function dropOldest(cell: ActorCell, mailbox: Mailbox): boolean {
  const kept: [unknown, unknown][] = [];
  let dropped = false;
  while (!dropped && mailbox.size > 0) {
    const message = mailbox.take();
    const replyTo = mailbox.takenReplyTo;
    if (isInternal(message, replyTo)) kept.push([message, replyTo]);
    else {
      dropped = true;
      cell.deadLetter(message, replyTo, 'dropped-oldest');
    }
  }
  for (const [message, replyTo] of kept.reverse()) mailbox.pushFront(message, replyTo);
  return dropped;
}

/** See `ActorRef.offer`. */
export function offer(cell: ActorCell, message: unknown, options: { signal?: AbortSignal } = {}): Promise<void> {
  for (const key in options) if (key !== 'signal') check.knownKeys(options, ['signal'], 'offer');
  const { overflow } = cell.props.mailbox;
  if (overflow === Overflow.Backpressure && cell.isFull && cell.state < State.Stopping) {
    return waitingOffersOf(cell).wait(message, options);
  }
  return new Promise((resolve, reject) => {
    options.signal?.throwIfAborted();
    const reason = cell.state >= State.Stopping ? 'stopped' : 'mailbox-full';
    if (cell.deliver(message, undefined)) resolve();
    else reject(new UndeliveredError(cell.path, typeOf(message), reason));
  });
}

/** While offers wait, the mailbox counts as full for all other senders, so that no message overtakes the offers. */
function waitingOffersOf(cell: ActorCell): WaitingOffers {
  const { capacity } = cell.props.mailbox;
  return (cell.needExtras().offers ??= new WaitingOffers((waiting) => {
    cell.capacity = waiting > 0 ? 0 : capacity;
  }));
}

/** Admits waiting offers, as far as there is room. */
export function admitOffers(cell: ActorCell, offers: WaitingOffers): void {
  const { capacity } = cell.props.mailbox;
  offers.admit(capacity - (cell.mailbox?.size ?? 0), (message) => cell.pushInternal(message, undefined));
}
