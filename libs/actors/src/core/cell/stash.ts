import type { ActorCell } from './actor-cell.js';
import { NothingToStashError } from '../errors/nothing-to-stash.error.js';
import { StashFullError } from '../errors/stash-full.error.js';
import { Signal } from '../signals.js';

/** Replaces a stashed message, so that the message no longer counts as the current one. */
class StashedMessage {}
const STASHED = new StashedMessage();

/** Whether the current message has been stashed. */
export const isStashed = ({ message }: ActorCell): boolean => message === STASHED;

/** Sets the current message aside until `unstashAll`. */
export function stash(cell: ActorCell): void {
  const { message, replyTo } = cell;
  if (message === undefined || isStashed(cell) || message instanceof Signal) throw new NothingToStashError(cell.path);
  const entries = (cell.needExtras().stash ??= []);
  const { stashCapacity } = cell.props;
  if (entries.length >= 2 * stashCapacity) throw new StashFullError(cell.path, stashCapacity);
  entries.push(message, replyTo);
  cell.message = STASHED;
}

/** Moves stashed messages ahead of all waiting ones, in the order in which they were stashed. */
export function unstashAll(cell: ActorCell): void {
  const entries = cell.extras?.stash;
  if (!entries) return;
  cell.extras!.stash = undefined;
  const mailbox = (cell.mailbox ??= cell.props.mailbox.create());
  for (let i = entries.length - 2; i >= 0; i -= 2) mailbox.pushFront(entries[i], entries[i + 1]);
}
