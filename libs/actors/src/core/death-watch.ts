import { ActorCell } from './actor-cell.js';
import type { ActorRef } from './actor-ref.js';
import { State } from './actor-state.js';
import { NotAnActorError } from './errors/not-an-actor.error.js';
import { AdapterRef } from './message-adapter.js';
import { Terminated } from './signals.js';

/** The actor behind an address. */
export function cellOf(ref: ActorRef<never>): ActorCell {
  if (ref instanceof ActorCell) return ref;
  if (ref instanceof AdapterRef) return ref.owner;
  throw new NotAnActorError(ref);
}

/**
 * Has the watcher told when the target ends: by a `Terminated`, or by `message` if given. Of several calls the last
 * counts. A target that has ended already is told of at once.
 */
export function watch(watcherRef: ActorRef<never>, target: ActorCell, message?: { message: unknown }): void {
  const watcher = cellOf(watcherRef);
  if (watcher === target || watcher.state >= State.Stopping) return;
  const watching = (watcher.needExtras().watching ??= new Set());
  watching.add(target);
  if (target.state === State.Stopped) {
    tellOfEnd(watcher, target, message);
    return;
  }
  (target.needExtras().watchers ??= new Map()).set(watcher, message);
}

/** After this the watcher hears nothing of the end, even if the word of it is in its mailbox. */
export function unwatch(watcherRef: ActorRef<never>, target: ActorCell): void {
  const watcher = cellOf(watcherRef);
  watcher.extras?.watching?.delete(target);
  target.extras?.watchers?.delete(watcher);
}

/** A watcher has come to a `Terminated`: whether it still wants to know. */
export function handleTerminated(watcher: ActorCell, { ref }: Terminated): boolean {
  return watcher.extras?.watching?.delete(cellOf(ref)) ?? false;
}

/** The actor has ended: its watchers are told, and it watches no more. */
export function endWatches(cell: ActorCell): void {
  const { watchers, watching } = cell.extras ?? {};
  for (const [watcher, message] of watchers ?? []) tellOfEnd(watcher, cell, message);
  for (const target of watching ?? []) target.extras?.watchers?.delete(cell);
}

function tellOfEnd(watcher: ActorCell, target: ActorCell, message: { message: unknown } | undefined): void {
  if (message === undefined) {
    watcher.pushSignal(new Terminated(target));
    return;
  }
  watcher.extras?.watching?.delete(target);
  watcher.pushOwn(message.message);
}
