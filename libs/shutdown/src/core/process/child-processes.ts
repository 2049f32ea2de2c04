import type { ChildProcess } from 'node:child_process';
import { subscribe } from 'node:diagnostics_channel';

const alive = new Set<ChildProcess>();
let tracking = false;

/** Tracks every child process started from now on until it exits. */
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

/** Kills all tracked children, so that a forced exit does not orphan them. */
export function killChildProcesses(): void {
  for (const child of alive) child.kill('SIGKILL');
}
