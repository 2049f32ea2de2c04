import type { ActorDescription } from '../observe/description.js';
import { InvalidActorStateTransition } from '../errors/invalid-actor-state-transition.error.js';

/** States of an actor, numbered in lifecycle order so that the message loop can compare them. */
export const State = { Ready: 0, Starting: 1, Running: 2, Suspended: 3, Stopping: 4, Stopped: 5 } as const;
export type State = (typeof State)[keyof typeof State];

/** Name of a state in `describe()` and in errors. */
export type ActorState = ActorDescription['state'];

const NAMES: readonly ActorState[] = ['ready', 'starting', 'running', 'suspended', 'stopping', 'stopped'];

/** Allowed next states, by state. */
const NEXT: readonly (readonly State[])[] = [
  [State.Starting, State.Stopping],
  [State.Running, State.Stopping],
  [State.Suspended, State.Stopping],
  [State.Running, State.Stopping],
  [State.Stopped],
  [],
];

/** Current activity of an actor. */
export const Activity = { Idle: 0, Queued: 1, Running: 2, Awaiting: 3 } as const;
export type Activity = (typeof Activity)[keyof typeof Activity];

export const stateName = (state: State): ActorState => NAMES[state]!;

/** @throws InvalidActorStateTransition */
export function assertTransition(from: State, to: State, path: () => string): void {
  if (!NEXT[from]!.includes(to)) throw new InvalidActorStateTransition(path(), stateName(from), stateName(to));
}
