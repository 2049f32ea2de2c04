import { InvalidActorStateTransition } from '../errors/invalid-actor-state-transition.error.js';

/**
 * Where an actor is in its life. Numbers, because they are compared for every message; the order is that of life.
 *
 * @internal
 */
export const State = { New: 0, Starting: 1, Running: 2, Suspended: 3, Stopping: 4, Stopped: 5 } as const;
export type State = (typeof State)[keyof typeof State];

/** A state as `describe()` and errors name it. @publicApi */
export type ActorState = 'New' | 'Starting' | 'Running' | 'Suspended' | 'Stopping' | 'Stopped';

const NAMES: readonly ActorState[] = ['New', 'Starting', 'Running', 'Suspended', 'Stopping', 'Stopped'];

/** Which states may follow, by state. */
const NEXT: readonly (readonly State[])[] = [
  [State.Starting, State.Stopping],
  [State.Running, State.Stopping],
  [State.Suspended, State.Stopping],
  [State.Running, State.Stopping],
  [State.Stopped],
  [],
];

export const stateName = (state: State): ActorState => NAMES[state]!;

/** @throws InvalidActorStateTransition */
export function assertTransition(from: State, to: State, path: () => string): void {
  if (!NEXT[from]!.includes(to)) throw new InvalidActorStateTransition(path(), stateName(from), stateName(to));
}
