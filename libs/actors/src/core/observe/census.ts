import type { ActorCell } from '../cell/actor-cell.js';

/** Totals of a system. Cheap, because it creates no object per actor. */
export interface Census {
  readonly actors: number;
  /** Number of waiting messages in all mailboxes. */
  readonly messages: number;
  /** The mailbox with the most waiting messages; undefined when all are empty. */
  readonly deepestMailbox: { readonly path: string; readonly size: number } | undefined;
}

/** Counts all actors below `root`, excluding `root`. */
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
