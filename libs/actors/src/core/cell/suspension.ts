import type { ActorCell } from './actor-cell.js';
import { State } from './actor-state.js';

/** Why an actor is suspended. They add up: it goes on when none is left. */
export const Suspension = { User: 1, Restart: 2, Escalated: 4 } as const;
export type Suspension = (typeof Suspension)[keyof typeof Suspension];

/** An actor that has not started yet is suspended as soon as it has. */
export function suspend(cell: ActorCell, why: Suspension): void {
  if (cell.state >= State.Stopping) return;
  cell.needExtras().suspensions |= why;
  if (cell.state === State.Running) cell.transition(State.Suspended);
}

export function resume(cell: ActorCell, why: Suspension): void {
  if (!isSuspended(cell, why)) return;
  const extras = cell.needExtras();
  extras.suspensions &= ~why;
  if (extras.suspensions !== 0 || cell.state !== State.Suspended) return;
  cell.transition(State.Running);
  cell.wake();
}

export const isSuspended = ({ extras }: ActorCell, why: number): boolean =>
  extras !== null && (extras.suspensions & why) !== 0;
