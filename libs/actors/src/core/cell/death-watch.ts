import { Terminated } from '../signals.js';
import type { ActorCell } from './actor-cell.js';
import { State } from './actor-state.js';

/** Notice for a watcher when the watched actor stops: a message of its own, or the signal `Terminated`. */
export type WatchNotice = { readonly message: unknown } | 'signal';

/**
 * Notifies the watcher when the target stops: by a `Terminated`, or by a message if given. The last of several calls
 * counts. When the target has stopped already, the watcher is notified at once.
 */
export function watch(watcher: ActorCell, target: ActorCell, notice: WatchNotice = 'signal'): void {
  if (watcher === target || watcher.state >= State.Stopping) return;
  (watcher.needExtras().watching ??= new Map()).set(target, notice);
  if (target.state === State.Stopped) watcher.pushSignal(new Terminated(target));
  else (target.needExtras().watchers ??= new Set()).add(watcher);
}

/** After this the watcher gets no notice, even if its `Terminated` is in the mailbox. */
export function unwatch(watcher: ActorCell, target: ActorCell): void {
  watcher.extras?.watching?.delete(target);
  target.extras?.watchers?.delete(watcher);
}

/** A watcher handles a `Terminated`: returns its notice, or undefined when it has had it or watches no more. */
export function takeNotice(watcher: ActorCell, { ref }: Terminated): WatchNotice | undefined {
  const { watching } = watcher.extras ?? {};
  const notice = watching?.get(ref as ActorCell);
  watching?.delete(ref as ActorCell);
  return notice;
}

/** The actor has stopped: notifies its watchers, and ends its own watches. */
export function endWatches(cell: ActorCell): void {
  const { watchers, watching } = cell.extras ?? {};
  for (const watcher of watchers ?? []) {
    const signal = new Terminated(cell);
    if (watcher.state < State.Stopping) watcher.pushSignal(signal);
    else discardNotice(watcher, signal);
  }
  for (const target of watching?.keys() ?? []) target.extras?.watchers?.delete(cell);
}

/** A watcher stops before it has handled a `Terminated`. A message of its own becomes a dead letter. */
export function discardNotice(watcher: ActorCell, signal: Terminated): void {
  const notice = takeNotice(watcher, signal);
  if (notice !== undefined && notice !== 'signal') watcher.deadLetter(notice.message, undefined, 'stopped');
}
