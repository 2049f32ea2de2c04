import type { ActorCell } from '../cell/actor-cell.js';
import { stateName } from '../cell/actor-state.js';

/** An actor in the result of `describe()`: plain data, including its children. @publicApi */
export interface ActorDescription {
  name: string;
  path: string;
  state: 'ready' | 'starting' | 'running' | 'suspended' | 'stopping' | 'stopped';
  /** Number of waiting messages. */
  mailbox: number;
  stashed: number;
  restarts: number;
  children: ActorDescription[];
}

/** Describes the tree below an actor. Iterative, because a tree may be deeper than the stack. */
export function describeTree(root: ActorCell): ActorDescription {
  const top = describeOne(root);
  const open: [ActorCell, ActorDescription][] = [[root, top]];
  for (let next = open.pop(); next; next = open.pop()) {
    const [cell, description] = next;
    for (const child of cell.children?.values() ?? []) {
      const of = describeOne(child, description.path);
      description.children.push(of);
      open.push([child, of]);
    }
  }
  return top;
}

const describeOne = (cell: ActorCell, parentPath = ''): ActorDescription => ({
  name: cell.name,
  path: `${parentPath}/${cell.name}`,
  state: stateName(cell.state),
  mailbox: cell.waiting,
  stashed: (cell.extras?.stash?.length ?? 0) / 2,
  restarts: cell.extras?.restarts?.count ?? 0,
  children: [],
});
