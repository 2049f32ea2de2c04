import { execFileSync } from 'node:child_process';
import { ROOT } from './workspace.js';

/** What git prints, or nothing when there is no git, no repository, or it is owned by someone else. */
export const git = (...args: string[]): string | undefined => {
  try {
    return execFileSync('git', args, { cwd: ROOT, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
  } catch {
    return undefined;
  }
};

/** The non-empty lines of what git prints. */
export const gitLines = (...args: string[]): string[] | undefined =>
  git(...args)
    ?.split('\n')
    .filter(Boolean);
