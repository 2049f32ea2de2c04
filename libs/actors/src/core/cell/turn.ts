import { admitOffers } from '../mailbox/overflow.js';
import type { ActorCell } from './actor-cell.js';
import { Activity, State } from './actor-state.js';
import { isThrottled } from './throttle.js';

/** Waits for a promise of the actor. The actor handles no messages until the promise has settled. */
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

/** Continues after a promise has settled: at once if no other actor is waiting, otherwise in turn. */
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
