import { execFileSync } from 'node:child_process';
import { ROOT } from './workspace.js';

/** Returns the output of git, or nothing if there is no git, no repository, or it has another owner. */
export const git = (...args: string[]): string | undefined => {
  try {
    return execFileSync('git', args, { cwd: ROOT, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
  } catch {
    return undefined;
  }
};

/** Returns the non-empty lines of git's output. */
export const gitLines = (...args: string[]): string[] | undefined =>
  git(...args)
    ?.split('\n')
    .filter(Boolean);
