import type { ActorCell } from './actor-cell.js';
import type { ActorClass } from '../actor-class.js';
import type { ActorRef } from '../actor-ref.js';
import { State } from './actor-state.js';
import { Behavior } from '../behavior.js';
import { spawnChannel } from '../observe/diagnostics.js';
import { ActorSystemStoppingError } from '../errors/actor-system-stopping.error.js';
import { DuplicateActorNameError } from '../errors/duplicate-actor-name.error.js';
import { InvalidActorNameError } from '../errors/invalid-actor-name.error.js';
import { InvalidBehaviorError } from '../errors/invalid-behavior.error.js';
import { startActor } from './start.js';
import { Props, propsOf } from '../props.js';

const MOST_NAME_LENGTH = 255;
/** `/` separates names in a path, `?` marks the reply address of an ask, and `$` starts generated names. */
const ILLEGAL = /^\$|[/?#\s\p{Cc}]/u;

/** See `ActorContext.spawn`. */
export function spawnChild<T>(
  parent: ActorCell,
  what: Behavior<T> | Props<T> | ActorClass,
  name?: string,
): ActorRef<T> {
  const props = toProps(parent, what);
  if (name !== undefined) assertActorName(name, parent);
  if (parent.state >= State.Stopping) throw new ActorSystemStoppingError(parent.path, name);
  const children = (parent.children ??= new Map<string | number, ActorCell>());
  const key = name ?? parent.system.nextKey();
  const taken = children.get(key);
  if (taken) throw new DuplicateActorNameError(taken.path, taken.state === State.Stopping);
  const cell = parent.createChild(props, key);
  children.set(key, cell);
  if (spawnChannel.hasSubscribers) spawnChannel.publish({ ref: cell });
  startActor(cell);
  return cell;
}

function toProps(parent: ActorCell, what: Behavior<never> | Props | ActorClass): Props {
  if (what instanceof Props || what instanceof Behavior) return propsOf(what);
  if (typeof what === 'function') return parent.system.options.propsOfClass(what);
  throw new InvalidBehaviorError('The argument of spawn()', 'a behavior, Props or an actor class', what);
}

/**
 * @param parent only its path is used, and only for the error, because computing a deep path is expensive
 * @throws InvalidActorNameError
 */
export function assertActorName(name: unknown, parent: { readonly path: string }): asserts name is string {
  const legal = typeof name === 'string' && name !== '' && name.length <= MOST_NAME_LENGTH && !ILLEGAL.test(name);
  if (!legal) throw new InvalidActorNameError(name, parent.path);
}
