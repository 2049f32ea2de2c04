import { spawn } from 'node:child_process';
import type { Socket } from 'node:net';

/**
 * Runs a line of shell when this process has ended, even if it is killed: by then the pipe from here is closed.
 * Returns a function that calls it off.
 *
 * @param words `$1`, `$2` and so on of the line
 */
export const afterThisProcess = (line: string, ...words: string[]): (() => void) => {
  const waiting = spawn('sh', ['-c', `read -r _; ${line}`, 'sh', ...words], {
    // In a group of its own, or Ctrl+C would end it together with the tests.
    detached: true,
    env: process.env,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  waiting.unref();
  (waiting.stdin as Socket).unref();
  return () => void waiting.kill('SIGKILL');
};
