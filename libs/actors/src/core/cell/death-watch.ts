import { Terminated } from '../signals.js';
import type { ActorCell } from './actor-cell.js';
import { State } from './actor-state.js';

/** How to notify a watcher that the watched actor has stopped: with its own message or with the signal `Terminated`. */
export type WatchNotice = { readonly message: unknown } | 'signal';

/**
 * Notifies the watcher when the target stops, or at once if it has already stopped. The last of several calls decides
 * whether the notice is a `Terminated` or a message.
 */
export function watch(watcher: ActorCell, target: ActorCell, notice: WatchNotice = 'signal'): void {
  if (watcher === target || watcher.state >= State.Stopping) return;
  (watcher.needExtras().watching ??= new Map()).set(target, notice);
  if (target.state === State.Stopped) watcher.pushSignal(new Terminated(target));
  else (target.needExtras().watchers ??= new Set()).add(watcher);
}

/** Cancels a watch, even if its `Terminated` is already in the mailbox. */
export function unwatch(watcher: ActorCell, target: ActorCell): void {
  watcher.extras?.watching?.delete(target);
  target.extras?.watchers?.delete(watcher);
}

/** Returns the notice for a `Terminated`, or undefined if the watcher has already had it or has cancelled the watch. */
export function takeNotice(watcher: ActorCell, { ref }: Terminated): WatchNotice | undefined {
  const { watching } = watcher.extras ?? {};
  const notice = watching?.get(ref as ActorCell);
  watching?.delete(ref as ActorCell);
  return notice;
}

/** Notifies the watchers of a stopped actor and cancels the actor's own watches. */
export function endWatches(cell: ActorCell): void {
  const { watchers, watching } = cell.extras ?? {};
  for (const watcher of watchers ?? []) {
    const signal = new Terminated(cell);
    if (watcher.state < State.Stopping) watcher.pushSignal(signal);
    else discardNotice(watcher, signal);
  }
  for (const target of watching?.keys() ?? []) target.extras?.watchers?.delete(cell);
}

/** Handles a watcher that stops before its `Terminated`. A `watchWith` message becomes a dead letter. */
export function discardNotice(watcher: ActorCell, signal: Terminated): void {
  const notice = takeNotice(watcher, signal);
  if (notice !== undefined && notice !== 'signal') watcher.deadLetter(notice.message, undefined, 'stopped');
}
