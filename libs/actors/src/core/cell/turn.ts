import { admitOffers } from '../mailbox/overflow.js';
import type { ActorCell } from './actor-cell.js';
import { Activity, State } from './actor-state.js';
import { isThrottled } from './throttle.js';

/** Waits until a promise of the actor has settled. The actor handles no message meanwhile. */
export function awaitPromise(
  cell: ActorCell,
  promise: PromiseLike<unknown>,
  onValue: (value: unknown) => void,
  onError: (error: unknown) => void,
): void {
  cell.activity = Activity.Awaiting;
  const continueWith = (step: (result: unknown) => void) => (result: unknown) => {
    if (cell.state === State.Stopped) return;
    cell.activity = Activity.Running;
    step(result);
    continueTurn(cell);
  };
  Promise.resolve(promise).then(continueWith(onValue), continueWith(onError));
}

/** After a promise has settled: continues at once when no other actor is waiting for its turn, otherwise in its turn. */
export function continueTurn(cell: ActorCell): void {
  if (cell.isAwaiting) return;
  if (!cell.hasMore) endTurn(cell);
  else if (!cell.system.dispatcher.resume(cell)) cell.schedule();
}

export function endTurn(cell: ActorCell): void {
  cell.message = undefined;
  cell.replyTo = undefined;
  cell.activity = Activity.Idle;
  admitWaitingOffers(cell);
  if (cell.hasMore && !isThrottled(cell)) cell.wake();
}

export function admitWaitingOffers(cell: ActorCell): void {
  const offers = cell.extras?.offers;
  if (offers && offers.size > 0 && cell.state < State.Stopping) admitOffers(cell, offers);
}
