import type { ActorDescription } from '../observe/description.js';
import { InvalidActorStateTransition } from '../errors/invalid-actor-state-transition.error.js';

/** States of an actor. They are numbers in the order in which they follow, because the message loop compares them. */
export const State = { Ready: 0, Starting: 1, Running: 2, Suspended: 3, Stopping: 4, Stopped: 5 } as const;
export type State = (typeof State)[keyof typeof State];

/** A state as `describe()` and errors name it. */
export type ActorState = ActorDescription['state'];

const NAMES: readonly ActorState[] = ['ready', 'starting', 'running', 'suspended', 'stopping', 'stopped'];

/** Which states may follow, by state. */
const NEXT: readonly (readonly State[])[] = [
  [State.Starting, State.Stopping],
  [State.Running, State.Stopping],
  [State.Suspended, State.Stopping],
  [State.Running, State.Stopping],
  [State.Stopped],
  [],
];

/** The present work of an actor. */
export const Activity = { Idle: 0, Queued: 1, Running: 2, Awaiting: 3 } as const;
export type Activity = (typeof Activity)[keyof typeof Activity];

export const stateName = (state: State): ActorState => NAMES[state]!;

/** @throws InvalidActorStateTransition */
export function assertTransition(from: State, to: State, path: () => string): void {
  if (!NEXT[from]!.includes(to)) throw new InvalidActorStateTransition(path(), stateName(from), stateName(to));
}
