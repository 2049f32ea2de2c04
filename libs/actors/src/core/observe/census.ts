import type { ActorCell } from '../cell/actor-cell.js';

/** How many there are in a system, at little cost: no data is made for each of them. */
export interface Census {
  readonly actors: number;
  /** Messages waiting, in all mailboxes. */
  readonly messages: number;
  /** Where most are waiting; undefined when none are. */
  readonly deepestMailbox: { readonly path: string; readonly size: number } | undefined;
}

/** Of all actors below `root`, without itself. */
export function censusOf(root: ActorCell): Census {
  let actors = -1;
  let messages = 0;
  let deepest: ActorCell | undefined;
  const open = [root];
  for (let cell = open.pop(); cell; cell = open.pop()) {
    actors++;
    if (cell.children) for (const child of cell.children.values()) open.push(child);
    const { waiting } = cell;
    if (cell === root || waiting === 0) continue;
    messages += waiting;
    if (waiting > (deepest?.waiting ?? 0)) deepest = cell;
  }
  return { actors, messages, deepestMailbox: deepest && { path: deepest.path, size: deepest.waiting } };
}
