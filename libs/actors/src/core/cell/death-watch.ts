import { ActorCell } from './actor-cell.js';
import type { ActorRef } from '../actor-ref.js';
import { State } from './actor-state.js';
import { NotAnActorError } from '../errors/not-an-actor.error.js';
import { AdapterRef } from './message-adapter.js';
import { Terminated } from '../signals.js';

/** The actor behind an address. */
export function cellOf(ref: ActorRef<never>): ActorCell {
  if (ref instanceof ActorCell) return ref;
  if (ref instanceof AdapterRef) return ref.owner;
  throw new NotAnActorError(ref);
}

/** What a watcher wants to be told with: a message of its own, or the signal if there is none. */
export type Word = { readonly message: unknown } | 'signal';

/**
 * Has the watcher told when the target ends: by a `Terminated`, or by a message if given. Of several calls the last
 * counts. A target that has ended already is told of at once.
 */
export function watch(watcherRef: ActorRef<never>, target: ActorCell, word: Word = 'signal'): void {
  const watcher = cellOf(watcherRef);
  if (watcher === target || watcher.state >= State.Stopping) return;
  (watcher.needExtras().watching ??= new Map()).set(target, word);
  if (target.state === State.Stopped) watcher.pushSignal(new Terminated(target));
  else (target.needExtras().watchers ??= new Set()).add(watcher);
}

/** After this the watcher hears nothing of the end, even if the word of it is in its mailbox. */
export function unwatch(watcherRef: ActorRef<never>, target: ActorCell): void {
  const watcher = cellOf(watcherRef);
  watcher.extras?.watching?.delete(target);
  target.extras?.watchers?.delete(watcher);
}

/** A watcher has come to a `Terminated`: with what it wants to be told, or undefined when it has been, or has changed its mind. */
export function takeWord(watcher: ActorCell, { ref }: Terminated): Word | undefined {
  const { watching } = watcher.extras ?? {};
  const word = watching?.get(ref as ActorCell);
  watching?.delete(ref as ActorCell);
  return word;
}

/** The actor has ended: its watchers are told, and it watches no more. */
export function endWatches(cell: ActorCell): void {
  const { watchers, watching } = cell.extras ?? {};
  for (const watcher of watchers ?? []) {
    const signal = new Terminated(cell);
    if (watcher.state < State.Stopping) watcher.pushSignal(signal);
    else discardWord(watcher, signal);
  }
  for (const target of watching?.keys() ?? []) target.extras?.watchers?.delete(cell);
}

/** A watcher ends and does not come to a `Terminated`. */
export function discardWord(watcher: ActorCell, signal: Terminated): void {
  const word = takeWord(watcher, signal);
  if (word !== undefined && word !== 'signal') watcher.deadLetter(word.message, undefined, 'stopped');
}
