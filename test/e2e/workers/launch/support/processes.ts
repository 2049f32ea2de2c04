import { readdirSync, readFileSync } from 'node:fs';

export interface ProcessEntry {
  pid: number;
  parent: number;
  /** `R`, `S`, `Z` for a zombie. */
  state: string;
  command: string;
}

/** A process may end while it is looked at. */
const read = (path: string): string => {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return '';
  }
};

const entryOf = (pid: number): ProcessEntry | undefined => {
  // The name is in parentheses and may contain some.
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

/** Who runs with this variable in its environment, whosever child it is by now. A dead one has none. */
export const processesWith = (variable: string): ProcessEntry[] =>
  all().filter(({ pid }) => read(`/proc/${pid}/environ`).split('\0').includes(variable));

/** Zombies too. */
export const childrenOf = (parent: number): ProcessEntry[] => all().filter((entry) => entry.parent === parent);
