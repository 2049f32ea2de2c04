import type { ChildProcess } from 'node:child_process';
import { subscribe } from 'node:diagnostics_channel';

const alive = new Set<ChildProcess>();
let tracking = false;

/** Remembers every child process started from now on, for as long as it lives. */
export function trackChildProcesses(): void {
  if (tracking) return;
  tracking = true;
  subscribe('child_process', (message) => {
    const child = (message as { process: ChildProcess }).process;
    alive.add(child);
    child.once('exit', () => alive.delete(child));
    child.once('error', () => alive.delete(child));
  });
}

/** For an exit that waits for nobody: no child is left behind without its parent. */
export function killChildProcesses(): void {
  for (const child of alive) child.kill('SIGKILL');
}
