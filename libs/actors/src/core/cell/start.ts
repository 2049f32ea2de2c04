import type { Behavior } from '../behavior.js';
import { ActorInitializationException } from '../errors/actor-initialization.error.js';
import { PreStart } from '../signals.js';
import { failInitialization } from '../supervision/handle-failure.js';
import type { ActorCell } from './actor-cell.js';
import { State } from './actor-state.js';
import { announce, resolveBehavior, setBehavior } from './become.js';
import { beginStop } from './stop.js';

/** Moves the actor from ready to starting to running. A plain `Behavior.receive` runs at once. */
export function startActor(cell: ActorCell): void {
  cell.transition(State.Starting);
  const behavior = cell.props.behavior as Behavior<unknown>;
  if (behavior.kind === 'receive' && behavior.signalHandler === undefined) begin(cell, behavior);
  else cell.addWork(() => initialize(cell));
}

function initialize(cell: ActorCell): void {
  resolveBehavior(
    cell,
    cell.props.behavior,
    (ready) => {
      if (ready === undefined) {
        beginStop(cell, 'drain');
        return;
      }
      begin(cell, ready);
      announce(cell, new PreStart());
    },
    (error) => failInitialization(cell, new ActorInitializationException(cell.path, error)),
  );
}

function begin(cell: ActorCell, behavior: Behavior<unknown>): void {
  setBehavior(cell, behavior);
  cell.transition(State.Running);
  if (cell.extras !== null && cell.extras.suspensions !== 0) cell.transition(State.Suspended);
}
