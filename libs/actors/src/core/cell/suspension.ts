import type { ActorCell } from './actor-cell.js';
import { State } from './actor-state.js';

/** Reasons for a suspension. They are combined: the actor resumes when none remains. */
export const Suspension = { User: 1, Restart: 2, Escalated: 4 } as const;
export type Suspension = (typeof Suspension)[keyof typeof Suspension];

/** Suspends the actor. If it has not started yet, the suspension takes effect when it starts. */
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
