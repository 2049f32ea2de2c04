import { Behavior, isBehavior } from '../behavior.js';
import { InvalidBehaviorError } from '../errors/invalid-behavior.error.js';
import { intercepted } from '../observe/interceptors.js';
import type { Signal } from '../signals.js';
import type { ActorCell } from './actor-cell.js';
import { callHandler, callSignalHandler, failMessage } from './handlers.js';
import { beginStop } from './stop.js';

/** Runs setups until one returns a behavior that handles messages, or `undefined` if a setup stops the actor. */
export function resolveBehavior(
  cell: ActorCell,
  behavior: unknown,
  onReady: (ready: Behavior<unknown> | undefined) => void,
  onError: (error: unknown) => void,
): void {
  if (!isBehavior(behavior) || behavior.kind === 'same' || behavior.kind === 'unhandled') {
    onError(new InvalidBehaviorError(`The return value of a setup of ${cell.path}`, 'a behavior', behavior));
    return;
  }
  if (behavior.kind !== 'setup') {
    onReady(behavior.kind === 'stopped' ? undefined : (behavior as Behavior<unknown>));
    return;
  }
  callHandler(
    cell,
    () => behavior.initialize!(cell.context),
    (next) => resolveBehavior(cell, isBehavior(next) ? Behavior.inherit(next, behavior) : next, onReady, onError),
    onError,
  );
}

/** Switches to the behavior that a handler returned. */
export function become(cell: ActorCell, next: Behavior<never>): void {
  if (next.kind === 'same' || next.kind === 'unhandled') return;
  resolveBehavior(
    cell,
    next,
    (ready) => (ready === undefined ? beginStop(cell, 'drain') : setBehavior(cell, ready)),
    (error) => failMessage(cell, error),
  );
}

/** Sets the behavior. If it has no supervision, it keeps that of the previous behavior. */
export function setBehavior(cell: ActorCell, next: Behavior<unknown>): void {
  const { supervision } = cell.behavior;
  const supervised = supervision && !next.supervision ? Behavior.supervise(next, supervision) : next;
  cell.behavior = intercepted(supervised, cell.props.interceptors);
}

/** Delivers the first signal of a new instance: `PreStart` or `PostRestart`. */
export function announce(cell: ActorCell, signal: Signal): void {
  cell.message = signal;
  callSignalHandler(
    cell,
    signal,
    (result) => {
      if (isBehavior(result)) become(cell, result);
    },
    (error) => cell.fail(error),
  );
}
