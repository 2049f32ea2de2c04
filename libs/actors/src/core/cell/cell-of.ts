import type { ActorRef } from '../actor-ref.js';
import { NotAnActorError } from '../errors/not-an-actor.error.js';
import type { ActorCell } from './actor-cell.js';

/** Key under which an address holds its actor. Reply addresses do not have it. */
export const CELL = Symbol('cell');

/** An address backed by an actor: the actor itself or one of its message adapters. */
export interface LocalRef {
  readonly [CELL]: ActorCell;
}

/** Returns the actor behind an address. @throws NotAnActorError */
export function cellOf(ref: ActorRef<never>): ActorCell {
  const cell = (ref as Partial<LocalRef> | null | undefined)?.[CELL];
  if (cell === undefined) throw new NotAnActorError(ref);
  return cell;
}
