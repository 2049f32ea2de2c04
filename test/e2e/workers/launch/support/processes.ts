import { readdirSync, readFileSync } from 'node:fs';

export interface ProcessEntry {
  pid: number;
  parent: number;
  /** Process state: `R`, `S`, or `Z` for a zombie. */
  state: string;
  command: string;
}

/** The process may exit while it is being read. */
const read = (path: string): string => {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return '';
  }
};

const entryOf = (pid: number): ProcessEntry | undefined => {
  // The name is in parentheses and may contain parentheses.
  const stat = read(`/proc/${pid}/stat`);
  const [state = '', parent = ''] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  if (stat === '') return undefined;
  const command = read(`/proc/${pid}/cmdline`).replaceAll('\0', ' ').trim();
  return { pid, parent: Number(parent), state, command };
};

const all = (): ProcessEntry[] =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((name) => entryOf(Number(name)))
    .filter((entry) => entry !== undefined);

/** Processes with this variable in their environment, regardless of their current parent. Zombies have no environment. */
export const processesWith = (variable: string): ProcessEntry[] =>
  all().filter(({ pid }) => read(`/proc/${pid}/environ`).split('\0').includes(variable));

/** Includes zombies. */
export const childrenOf = (parent: number): ProcessEntry[] => all().filter((entry) => entry.parent === parent);
