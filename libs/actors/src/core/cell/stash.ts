import type { ActorCell } from './actor-cell.js';
import { NothingToStashError } from '../errors/nothing-to-stash.error.js';
import { StashFullError } from '../errors/stash-full.error.js';
import { Signal } from '../signals.js';

/** In the place of a message that has been put aside: it must not be taken for one that is being handled. */
class StashedMessage {}
const STASHED = new StashedMessage();

/** Whether the current message comes again later. */
export const isStashed = ({ message }: ActorCell): boolean => message === STASHED;

/** Puts the current message aside until `unstashAll`. */
export function stash(cell: ActorCell): void {
  const { message, replyTo } = cell;
  if (message === undefined || isStashed(cell) || message instanceof Signal) throw new NothingToStashError(cell.path);
  const entries = (cell.needExtras().stash ??= []);
  const { stashCapacity } = cell.props;
  if (entries.length >= 2 * stashCapacity) throw new StashFullError(cell.path, stashCapacity);
  entries.push(message, replyTo);
  cell.message = STASHED;
}

/** Puts what was stashed before everything that is waiting, in the order in which it was stashed. */
export function unstashAll(cell: ActorCell): void {
  const entries = cell.extras?.stash;
  if (!entries) return;
  cell.extras!.stash = undefined;
  const mailbox = (cell.mailbox ??= cell.props.mailbox.create());
  for (let i = entries.length - 2; i >= 0; i -= 2) mailbox.pushFront(entries[i], entries[i + 1]);
}
