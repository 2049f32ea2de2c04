import { spawn } from 'node:child_process';
import type { Socket } from 'node:net';

/**
 * Runs a shell line when this process has ended, even if it is killed, because the pipe from here closes then. Returns
 * a function that cancels it.
 *
 * @param words `$1`, `$2` and so on of the line
 */
export const afterThisProcess = (line: string, ...words: string[]): (() => void) => {
  const waiting = spawn('sh', ['-c', `read -r _; ${line}`, 'sh', ...words], {
    // Uses its own process group, because otherwise Ctrl+C would end it together with the tests.
    detached: true,
    env: process.env,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  waiting.unref();
  (waiting.stdin as Socket).unref();
  return () => void waiting.kill('SIGKILL');
};
