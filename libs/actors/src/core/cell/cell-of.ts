import type { ActorRef } from '../actor-ref.js';
import { NotAnActorError } from '../errors/not-an-actor.error.js';
import type { ActorCell } from './actor-cell.js';

/** The member of an address that leads to the actor behind it. Reply addresses have none. */
export const CELL = Symbol('cell');

/** An address with an actor behind it: the actor itself, or an adapter in front of it. */
export interface LocalRef {
  readonly [CELL]: ActorCell;
}

/** The actor behind an address. @throws NotAnActorError */
export function cellOf(ref: ActorRef<never>): ActorCell {
  const cell = (ref as Partial<LocalRef> | null | undefined)?.[CELL];
  if (cell === undefined) throw new NotAnActorError(ref);
  return cell;
}
